// A whole trace set: the scan, FlashInfer-Bench's checks, and what they miss.

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
  DefinitionReport report;
  Diagnostics workloads;   // for its workload file
  Diagnostics definition;  // for its own file
};

Checked check_one(const CheckInput& input, bool strict) {
  Checked checked;
  DefinitionReport& report = checked.report;
  std::vector<const TraceLine*> good;
  report.name = input.entry.file.names.definition;
  report[Check::layout] = check_layout(input);
  report[Check::definition] = check_definition(input);
  report[Check::workload] = check_workloads(input, &good);
  report[Check::solution] = check_solutions(input);
  report[Check::trace] = check_traces(input);
  report[Check::baseline] = check_baseline(input);
  note_values(input, good, checked.workloads);
  if (input.definition() == nullptr) return checked;
  const Place place(file_of(input.root, input.file(input.entry.file)));
  add_remarks(remarks_on(*input.definition()), place, strict, checked.definition);
  return checked;
}

std::vector<Checked> check_all(const fs::path& root, const std::vector<ScannedFile>& files,
                               const DatasetIndex& index, const ValidateOptions& options) {
  std::vector<Checked> all(index.definitions.size());
  in_parallel(all.size(), {options.threads, 8}, [&](std::size_t i) {
    all[i] = check_one({root, files, index.definitions[i]}, options.strict);
  });
  return all;
}

// True for what the file's own messages, or the layout check, say already. A torn last line is only
// a warning there: FlashInfer-Bench's error is then said, too.
bool is_repetition(Check check, const CheckMessage& message, const FileReport& file) {
  const auto has = [&](std::string_view words) {
    return message.message.find(words) != std::string::npos;
  };
  if (message.level == Level::info) return true;
  if (has("parse error: ")) return file.messages.errors() > 0;
  if (check == Check::solution) return true;
  if (check == Check::workload)
    return has(": blob missing at ") || has("should not have solution or evaluation");
  return check == Check::trace &&
         (has(": trace definition '") || has(" missing solution or evaluation"));
}

constexpr std::string_view undescribed = "missing description";

// One message for all that a definition does not describe: there are many.
std::string without_description(const CheckResult& check) {
  std::string all;
  for (const CheckMessage& message : check.messages) {
    if (!message.message.starts_with(undescribed)) continue;
    const std::string_view what = std::string_view(message.message).substr(undescribed.size());
    all += all.empty() ? ": " : ", ";
    all += what.empty() ? "the definition" : what.substr(2);
  }
  return all.empty() ? "" : std::string(undescribed) + all;
}

// Shows the messages of the checks where they belong: in the files to blame, each once.
void blame_files(const DefinitionReport& definition, std::vector<FileReport>& files,
                 ReportPlaces& places) {
  std::set<std::pair<std::size_t, std::string_view>> said;
  const auto show = [&](const CheckMessage& message, std::string text) {
    files[message.file].messages.add({message.level,
                                      places.at(message.file, message.line, message.pointer),
                                      std::move(text), message.hint});
  };
  for (std::size_t i = 0; i < check_names.size(); ++i) {
    const CheckResult& check = definition.checks[i];
    const std::string descriptions = without_description(check);
    if (!descriptions.empty()) show(check.messages.front(), descriptions);
    for (const CheckMessage& message : check.messages) {
      const bool told = message.message.starts_with(undescribed) ||
                        is_repetition(static_cast<Check>(i), message, files[message.file]) ||
                        !said.emplace(message.file, message.message).second;
      if (!told) show(message, message.message);
    }
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
    blame_files(checked[i].report, reports, places);
    reports[entry.file.file].messages.append(std::move(checked[i].definition));
    if (!entry.workloads.empty()) {
      reports[entry.workloads.front().file].messages.append(std::move(checked[i].workloads));
    }
    for (CheckResult& check : checked[i].report.checks) {
      for (CheckMessage& message : check.messages) message.file += first;
    }
    report.definitions.push_back(std::move(checked[i].report));
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
