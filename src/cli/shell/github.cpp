#include "cli/shell/github.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/file.hpp"
#include "base/variable.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

const Stored<Solution>* find_solution(const std::vector<Target>& targets, std::string_view name) {
  for (const Target& target : targets) {
    for (const auto& stored : target.set.solutions)
      if (stored.record.name == name) return &stored;
  }
  return nullptr;
}

bool holds(const fs::path& file, const std::string& text) {
  std::error_code error;
  return fs::is_regular_file(file, error) && read_file(file) == text;
}

}  // namespace

FileOf files_of_solutions(const std::vector<Target>& targets) {
  return [&targets](std::string_view solution, std::string_view source) -> std::string {
    const Stored<Solution>* stored = find_solution(targets, solution);
    if (stored == nullptr || source.empty()) return stored == nullptr ? "" : stored->path;
    for (const SourceFile& one : stored->record.sources) {
      const fs::path file = fs::path(stored->path).parent_path() / one.path;
      if (one.path == source && holds(file, one.content)) return file.lexically_normal().string();
    }
    return "";
  };
}

void append_step_summary(const std::string& markdown) {
  const std::string file = variable("GITHUB_STEP_SUMMARY");
  if (file.empty()) return;
  std::ofstream out(file, std::ios::app);
  out << markdown << std::flush;
  if (!out) tell("warning: " + file + ": the step's summary cannot be written\n");
}

}  // namespace kbench
