// A whole trace set: the scan, the checks of each definition, and those of the set.

#include <set>

#include "base/parallel.hpp"
#include "validate/checks.hpp"
#include "validate/declarations.hpp"
#include "validate/further.hpp"
#include "validate/index.hpp"
#include "validate/kernels.hpp"
#include "validate/places.hpp"
#include "validate/remarks.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Everything about one definition.
struct Checked {
  std::vector<CheckMessage> messages;
  Diagnostics workloads;   // for its workload file
  Diagnostics definition;  // for its own file
};

void check_one(const CheckInput& input, bool strict, Checked& checked) {
  std::vector<const TraceLine*> good;
  check_layout(input);
  check_descriptions(input);
  check_workloads(input, good);
  check_traces(input);
  check_baseline(input);
  note_values(input, good, checked.workloads);
  if (input.definition() == nullptr) return;
  const Place place(file_of(input.root, input.file(input.entry.file)));
  add_remarks(remarks_on(*input.definition()), place, strict, checked.definition);
}

std::vector<Checked> check_all(const fs::path& root, const std::vector<ScannedFile>& files,
                               const DatasetIndex& index, const ValidateOptions& options) {
  std::vector<Checked> all(index.definitions.size());
  in_parallel(all.size(), {options.threads, 8}, [&](std::size_t i) {
    check_one({root, files, index.definitions[i], all[i].messages}, options.strict, all[i]);
  });
  return all;
}

// Shows the messages of the checks in the files to blame, each once.
void blame_files(std::vector<CheckMessage>& messages, std::vector<FileReport>& files,
                 ReportPlaces& places) {
  std::set<std::pair<std::size_t, std::string>> said;
  for (CheckMessage& message : messages) {
    if (!said.emplace(message.file, message.message).second) continue;
    files[message.file].messages.add({message.level,
                                      places.at(message.file, message.line, message.pointer),
                                      std::move(message.message), std::move(message.hint)});
  }
}

std::vector<FileReport> reports_of(const fs::path& root, std::vector<ScannedFile>& files) {
  std::vector<FileReport> reports;
  for (ScannedFile& file : files) {
    const bool lines = file.folder == Folder::workloads || file.folder == Folder::traces;
    const std::string_view kind = lines                              ? "trace"
                                  : file.folder == Folder::solutions ? "solution"
                                                                     : "definition";
    reports.push_back({file_of(root, file).string(), std::string(kind), file.problems});
  }
  return reports;
}

}  // namespace

void validate_trace_set(const fs::path& root, const ValidateOptions& options,
                        ValidationReport& report) {
  LoadOptions load;
  load.threads = options.threads;
  load.strict = options.strict;
  std::vector<ScannedFile> files = scan_trace_set(root, load);
  std::vector<FileReport> reports = reports_of(root, files);
  const DatasetIndex index = index_dataset(files, root.string());
  std::vector<Checked> checked = check_all(root, files, index, options);
  const std::size_t first = report.files.size();
  ReportPlaces places(reports);
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const DefinitionEntry& entry = index.definitions[i];
    blame_files(checked[i].messages, reports, places);
    reports[entry.file.file].messages.append(std::move(checked[i].definition));
    if (!entry.workloads.empty()) {
      reports[entry.workloads.front().file].messages.append(std::move(checked[i].workloads));
    }
  }
  const FurtherInput further{root, files, index, options.strict ? Level::error : Level::warning};
  note_names(further, reports, places);
  note_uuids(further, reports, places);
  note_solutions(further, reports, places);
  note_unseen_workloads(further, reports);
  for (FileReport& file : reports) {
    sort_by_line(file.messages);
    report.files.push_back(std::move(file));
  }
  validate_kernel_files_below(root / "solutions", report, further.soft, true);
  check_declarations(root, files, report);
  std::vector<const Definition*> definitions;
  std::vector<TaggedDefinition> tagged;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].definition) continue;
    definitions.push_back(&*files[i].definition);
    tagged.push_back({definitions.back(), first + i});
  }
  check_operators(tagged, further.soft, report);
  check_conditions(definitions, report);
}

}  // namespace kbench
