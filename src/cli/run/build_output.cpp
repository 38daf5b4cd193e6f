#include "cli/run/build_output.hpp"

#include "base/file.hpp"
#include "build/sources.hpp"
#include "tune/store.hpp"

namespace kbench {

namespace fs = std::filesystem;

std::string macros_of(const Solution& solution) {
  const auto& chosen = solution.spec.configuration;
  return chosen ? configuration_text(chosen->define) : "";
}

PlacedBuild place_build(const Solution& solution, const BuildResult& result,
                        const fs::path& folder) {
  const std::string macros = macros_of(solution);
  const fs::path own = folder / file_name_of(solution.name + (macros.empty() ? "" : " " + macros));
  fs::remove_all(own);  // what an earlier version had
  const std::string& entry = result.hosted.empty() ? solution.spec.entry_point : result.hosted;
  const auto cut = entry.find("::");
  const std::string function = result.symbol.empty() ? entry.substr(cut + 2) : result.symbol;
  if (find_builder(solution.spec.language)->flags == nullptr) {
    write_sources(solution, own);
    return {own / entry.substr(0, cut), function};
  }
  const fs::path library =
      result.hosted.empty() ? result.library : result.library / entry.substr(0, cut);
  const fs::path placed = own / library.filename();
  write_file(placed, read_file(library));
  return {placed, function};
}

}  // namespace kbench
