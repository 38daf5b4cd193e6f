#include "validate/declarations.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "kernels/registry/checked_sidecar.hpp"
#include "kernels/registry/sharding.hpp"
#include "kernels/registry/sidecar.hpp"
#include "kernels/registry/tunables.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Paths such as "./a/../b.json" and "b.json" are one file.
fs::path whole_path(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

using FolderNames = std::set<fs::path>;

// Returns the folders in which there are sidecars: the others need not be looked into.
FolderNames folders_of_sidecars(const ValidationReport& report) {
  FolderNames folders;
  for (const FileReport& file : report.files)
    if (file.kind == "sidecar") folders.insert(whole_path(file.path).parent_path());
  return folders;
}

void add_once(const Diagnostic& message, Diagnostics& said) {
  const auto& items = said.items();
  const bool is_said = std::any_of(items.begin(), items.end(), [&](const Diagnostic& one) {
    return one.where.line == message.where.line && one.where.column == message.where.column &&
           one.message == message.message;
  });
  if (!is_said) said.overrule(message);
  sort_by_line(said);
}

// Messages go to the report of the file that they are about, else to that of the Solution; once,
// since a sidecar may be of several Solutions.
void hand_out(const Diagnostics& messages, const fs::path& solution, ValidationReport& report) {
  for (const Diagnostic& message : messages.items()) {
    const auto report_of = [&](const fs::path& path) {
      return std::find_if(report.files.begin(), report.files.end(), [&](const FileReport& file) {
        return whole_path(file.path) == whole_path(path);
      });
    };
    auto found = report_of(message.where.file);
    if (found == report.files.end()) found = report_of(solution);
    if (found != report.files.end()) add_once(message, found->messages);
  }
}

void check_declaration(const Stored<Solution>& stored, const DefinitionsByName& definitions,
                       ValidationReport& report) {
  const bool has_own = stored.record.spec.kbench.has_value();
  Diagnostics said;
  const Sidecar sidecar = sidecar_of(stored, said);
  const bool is_read = said.errors() == 0;
  if (!has_own) said = {};  // those are in the sidecar's own report
  const auto definition = definitions.find(stored.record.definition);
  if (is_read && definition != definitions.end()) {
    check_entry(sidecar, stored.record, said);
    warn_of_idle_macros(sidecar.tunables, stored.record, said);
    check_tunables(sidecar.tunables, stored.record, *definition->second, said);
    check_batch(sidecar, stored.record, *definition->second, said);
    fits(sidecar.gradients, *definition->second, said);
    check_shardings(sidecar.shardings, *definition->second, said);
  }
  hand_out(said, stored.path, report);
}

// Checks the Solutions of a scan that are wanted.
template <class Wanted>
void check_wanted(const fs::path& root, const std::vector<ScannedFile>& files,
                  const Wanted& is_wanted, ValidationReport& report) {
  const DefinitionsByName definitions = definitions_in(files);
  for (const ScannedFile& file : files) {
    if (!file.solution) continue;
    const Stored<Solution> stored{*file.solution, file_of(root, file).string()};
    if (is_wanted(stored)) check_declaration(stored, definitions, report);
  }
}

}  // namespace

void check_declarations(const fs::path& root, const std::vector<ScannedFile>& files,
                        ValidationReport& report) {
  const FolderNames folders = folders_of_sidecars(report);
  check_wanted(
      root, files,
      [&](const Stored<Solution>& stored) {
        return stored.record.spec.kbench ||
               (!folders.empty() && folders.contains(whole_path(stored.path).parent_path()));
      },
      report);
}

void check_declarations_of_files(ValidationReport& report) {
  const FolderNames folders = folders_of_sidecars(report);
  std::map<fs::path, FolderNames> wanted;  // Solutions by the trace sets around them
  for (const FileReport& file : report.files) {
    const auto root = enclosing_root(file.path);
    if (!root) continue;
    if (file.kind == "solution") wanted[*root].insert(whole_path(file.path));
    if (file.kind == "sidecar") wanted[*root];
  }
  for (const auto& [root, solutions] : wanted) {
    LoadOptions load;
    load.traces = false;
    check_wanted(
        root, scan_trace_set(root, load),
        [&, of_set = &solutions](const Stored<Solution>& stored) {
          const fs::path path = whole_path(stored.path);
          return of_set->contains(path) || folders.contains(path.parent_path());
        },
        report);
  }
}

}  // namespace kbench
