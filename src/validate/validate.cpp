// Checks of single files: the kind of their records, and mistakes in them.
#include "validate/validate.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <system_error>

#include "base/file.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "kernels/registry/sidecar.hpp"
#include "schema/kinds.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"
#include "validate/checks.hpp"
#include "validate/declarations.hpp"
#include "validate/further.hpp"
#include "validate/index.hpp"
#include "validate/kernels.hpp"
#include "validate/remarks.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct Telltale {
  std::string_view key;
  std::string_view kind;
};

// Keys that tell the kind of a record: the first one that it has decides.
constexpr Telltale telltales[] = {
    {"workload", "trace"},
    {"evaluation", "trace"},
    {"spec", "solution"},
    {"sources", "solution"},
    {"uuid", "workload"},
    {"reference", "definition"},
    {"op_type", "definition"},
    {"outputs", "definition"},
    {"constraints", "definition"},
    {"status", "evaluation"},
    {"environment", "evaluation"},
    {"axes", "definition"},
    {"entry_point", "build_spec"},
    {"max_absolute_error", "correctness"},
    {"max_relative_error", "correctness"},
    {"latency_ms", "performance"},
    {"dtype", "tensor_spec"},
    {"value", "axis_const"},
};

constexpr Telltale folders[] = {{"definitions", "definition"},
                                {"solutions", "solution"},
                                {"workloads", "trace"},
                                {"traces", "trace"}};

std::string known_kinds() { return join(kind_names(), ", "); }

std::string_view kernel_kind_of(const Source& source, const ValidateOptions& options) {
  return is_kernel_kind(options.kind) ? std::string_view(options.kind) : guess_kernel_kind(source);
}

Level soft_level(const ValidateOptions& options) {
  return options.strict ? Level::error : Level::warning;
}

// Returns the record, where it is whole.
template <class Record>
std::optional<Record> check_with_remarks(const Source& source, const ReadOptions& read,
                                         Diagnostics& out) {
  auto record = read_text<Record>(source, read, out);
  if (record) add_remarks(remarks_on(*record), Place(source), read.strict, out);
  return record;
}

// Declarations are held against the Definition where that is known: validate/declarations.
void check_solution(const Source& source, const ReadOptions& read, Diagnostics& out) {
  const auto record = check_with_remarks<Solution>(source, read, out);
  if (record && record->spec.kbench) sidecar_in(source, out);
}

// Reads one record whose text is all of `source`.
void check_record(const Source& source, std::string_view kind, const ValidateOptions& options,
                  Diagnostics& out) {
  const ReadOptions read{options.strict, fs::path(source.path).parent_path()};
  if (kind == "definition") {
    check_with_remarks<Definition>(source, read, out);
    return;
  }
  if (kind == "solution") return check_solution(source, read, out);
  if (kind == "trace") {
    const auto record = read_text<Trace>(source, read, out);
    if (record) warn_of_contradiction(*record, source.path, 1, out);
    return;
  }
  find_kind(kind)->check(source, read, out);
}

std::string_view kind_of(const Source& source, const ValidateOptions& options) {
  if (!options.kind.empty()) return options.kind;
  json::Memory memory;
  Diagnostics ignored;
  const json::Value value = json::parse(source, 0, source.text.size(), memory, ignored);
  return guess_kind(value, source.path);
}

void check_text(const Source& source, const ValidateOptions& options, FileReport& file) {
  const std::string_view kind = kind_of(source, options);
  if (kind.empty()) {
    Diagnostics syntax;
    json::Memory memory;
    json::parse(source, 0, source.text.size(), memory, syntax);
    if (syntax.errors() == 0) {
      syntax.error(locate(source, 0), "cannot tell what kind of record this is",
                   "say --kind K; kinds are " + known_kinds());
    }
    file.messages.append(std::move(syntax));
    return;
  }
  file.kind = kind;
  check_record(source, kind, options, file.messages);
}

// Checks each line by itself; the file's kind is that of its first line.
void check_lines(const Source& source, const ValidateOptions& options, FileReport& file) {
  if (!check_lines_form(source, file.messages)) return;
  int number = 0;
  for (const std::string_view line : split(source.text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    FileReport one{source.path, "", {}};
    const Source alone{source.path, std::string(line)};
    if (check_line_is_text(alone, number, one.messages)) check_text(alone, options, one);
    Diagnostics as_record;  // warnings of other readers may be errors in a record
    if (one.kind == "trace" && !one.messages.empty()) read_trace_line(alone, number, {}, as_record);
    if (one.messages.errors() == 0 && as_record.errors() > 0) one.messages = std::move(as_record);
    append_at_line(file.messages, std::move(one.messages), number);
    if (file.kind.empty()) file.kind = one.kind;
  }
}

}  // namespace

std::string_view guess_kind(const json::Value& value, const fs::path& path) {
  for (const Telltale& telltale : telltales)
    if (value.find(telltale.key) != nullptr) return telltale.kind;
  for (const fs::path& part : path.parent_path()) {
    for (const Telltale& folder : folders)
      if (part == folder.key) return folder.kind;
  }
  return path.extension() == ".jsonl" ? "trace" : "";
}

void validate_text(const Source& source, const ValidateOptions& options, ValidationReport& report) {
  FileReport& file = report.files.emplace_back(FileReport{source.path, options.kind, {}});
  const std::string_view kernel_kind = kernel_kind_of(source, options);
  if (!kernel_kind.empty()) {
    file.kind = kernel_kind;
    check_kernel_file(source, kernel_kind, soft_level(options), file.messages);
  } else if (source.path.ends_with(".jsonl")) {
    check_lines(source, options, file);
  } else {
    check_text(source, options, file);
  }
  sort_by_line(file.messages);
}

void validate_file(const fs::path& path, const ValidateOptions& options, ValidationReport& report) {
  try {
    validate_text({path.string(), read_file(path)}, options, report);
  } catch (const std::system_error& error) {
    FileReport& file = report.files.emplace_back(FileReport{path.string(), options.kind, {}});
    file.messages.error({path.string()}, fmt::format("cannot be read: {}", error.code().message()));
  }
}

void validate_folder(const fs::path& folder, const ValidateOptions& options,
                     ValidationReport& report) {
  const std::size_t before = report.files.size();
  for (const std::string_view extension : {".json", ".jsonl"}) {
    for (const std::string& path : files_below(folder, extension)) {
      const bool is_sidecar = !guess_kernel_kind({path, ""}).empty();  // those come below
      if (!is_sidecar) validate_file(folder / path, options, report);
    }
  }
  validate_kernel_files_below(folder, report, soft_level(options));
  if (report.files.size() > before) return;
  FileReport& file = report.files.emplace_back(FileReport{folder.string(), "", {}});
  file.messages.error({folder.string()}, "holds no .json or .jsonl file, and no kernel yaml");
}

// Checks of a whole trace set: the scan, each definition, and the set.

namespace {

// Messages about one definition.
struct Checked {
  std::vector<CheckMessage> messages;
  Diagnostics workloads;   // messages of its workload file
  Diagnostics definition;  // messages of its own file
};

void check_one(const CheckInput& input, bool strict, Checked& checked) {
  check_layout(input);
  check_descriptions(input);
  check_workloads(input, checked.workloads);
  check_traces(input);
  check_baseline(input);
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
    if (!entry.workloads.empty())
      reports[entry.workloads.front().file].messages.append(std::move(checked[i].workloads));
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
