#include "build/python.hpp"

#include <filesystem>

#include "build/sources.hpp"

namespace kbench {

namespace fs = std::filesystem;

std::string python_unavailable(const Toolchain&) { return ""; }

BuildResult build_python(const Solution& solution, const Toolchain& toolchain) {
  const std::string key = build_key(solution, toolchain, toolchain.compiler, {"python"});
  const Fd lock = toolchain.cache->lock(key);
  BuildResult result;
  result.built = true;
  result.library = build_folder(toolchain, key);
  result.hosted = solution.spec.entry_point;
  if (solution.is_compiled_reference) result.compiler = toolchain.compiler;
  result.from_cache = fs::exists(result.library);  // from a solution with the same sources
  if (!result.from_cache) write_sources(solution, result.library);
  return result;
}

}  // namespace kbench
