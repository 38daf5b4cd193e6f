#include "cli/import/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "schema/scan.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view part_names[] = {"definitions", "workloads", "solutions", "traces"};

KnownRecords known_records(const fs::path& root) {
  KnownRecords known;
  std::error_code error;
  if (!fs::is_directory(root, error)) return known;
  LoadOptions options;
  options.traces = false;
  for (ScannedFile& file : scan_trace_set(root, options)) {
    if (file.definition) known.definitions.emplace(file.definition->name, *file.definition);
    if (file.solution) known.solutions.emplace(file.solution->name, *file.solution);
  }
  return known;
}

// Keeps a note that many lines share once, where it comes first, with its count.
Diagnostics without_repeats(const Diagnostics& notes) {
  std::vector<std::pair<Diagnostic, int>> kept;
  for (const Diagnostic& note : notes.items()) {
    const auto first = std::find_if(kept.begin(), kept.end(), [&](const auto& one) {
      return one.first.level == note.level && one.first.message == note.message &&
             one.first.hint == note.hint;
    });
    if (note.level == Level::error || first == kept.end()) {
      kept.emplace_back(note, 0);
    } else {
      ++first->second;
    }
  }
  Diagnostics out;
  for (auto& [note, more] : kept) {
    if (more > 0) note.message += fmt::format(" (and {} more like it)", more);
    out.add(std::move(note));
  }
  return out;
}

void add_notes(std::vector<ForeignFile>& files, ImportReport& report) {
  for (ForeignFile& file : files) {
    if (!file.wanted) continue;
    Diagnostics notes = without_repeats(file.notes);
    sort_by_line(notes);
    report.notes.files.push_back({file.source->path, "", std::move(notes)});
  }
}

void write_plan(const ImportPlan& plan, const fs::path& root, bool dry_run, ImportReport& report) {
  std::error_code error;
  for (const PlannedFile& file : plan.files) {
    const auto part = static_cast<std::size_t>(file.part);
    const bool there = fs::exists(root / file.path, error);  // has the same content, by settle()
    (there ? report.there : report.written)[part] += file.records;
    if (!there && !dry_run) write_file(root / file.path, file.content);
  }
  for (const PlannedBlob& blob : plan.blobs)
    if (!dry_run) write_file(root / blob.path, read_file(blob.from));
}

ImportReport complaint(const fs::path& about, std::string message, std::string hint) {
  ImportReport report;
  report.usable = false;
  FileReport& file = report.notes.files.emplace_back(FileReport{about.string(), "", {}});
  file.messages.error({about.string()}, std::move(message), std::move(hint));
  return report;
}

bool is_nothing(const Imported& imported) {
  return imported.definitions.empty() && imported.solutions.empty() && imported.traces.empty() &&
         imported.left_out == imported.unknown;
}

std::string counts_text(const std::array<std::size_t, 4>& counts) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string_view noun = part_names[i];
    parts.push_back(
        fmt::format("{} {}", counts[i], noun.substr(0, noun.size() - (counts[i] == 1 ? 1 : 0))));
  }
  return join(parts, ", ");
}

Json counts_json(const std::array<std::size_t, 4>& counts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) json[std::string(part_names[i])] = counts[i];
  return json;
}

// Returns the folder that is imported; a file has the trace set around it, else its own folder.
fs::path top_of(const fs::path& from) {
  std::error_code error;
  fs::path top = from;
  if (!fs::is_directory(from, error)) {
    const auto around = enclosing_root(from);
    top = around ? *around : fs::absolute(from).parent_path();
  }
  top = fs::absolute(top).lexically_normal();
  return top.has_filename() ? top : top.parent_path();
}

}  // namespace

ImportReport import_files(const fs::path& from, const ImportFormat& format, const fs::path& root,
                          bool dry_run, bool run_init) {
  std::error_code error;
  if (fs::is_directory(from, error)) confine(from);
  confine(root);
  if (!fs::exists(from, error)) return complaint(from, "no such file or folder", "");
  if (fs::exists(root, error) && !fs::is_directory(root, error))
    return complaint(root, "is no folder: a trace set is one", "name another with --to DIR");
  Imported imported;
  imported.top = top_of(from);
  const std::size_t failed = read_foreign_files(from, format, imported);
  const KnownRecords known = known_records(root);
  if (!imported.files.empty()) run_importer(format, run_init, known, imported);
  if (is_nothing(imported) && failed == 0)
    return complaint(from, fmt::format("holds no record of the format {}", format.name),
                     fmt::format("{} is {}", format.name, format.doc));
  const ImportPlan plan = settle(imported, known, root);
  try {  // checked before any writing
    for (const PlannedFile& file : plan.files) check_confined(root / file.path);
    for (const PlannedBlob& blob : plan.blobs) check_confined(root / blob.path);
  } catch (const std::system_error& problem) {
    return complaint(root, problem.what(), "");
  }
  ImportReport report;
  report.usable = imported.readable > 0;
  report.left_out = imported.left_out;
  write_plan(plan, root, dry_run, report);
  add_notes(imported.files, report);
  return report;
}

std::string import_summary(const ImportReport& report, bool dry_run) {
  std::string text =
      fmt::format("{} {}", counts_text(report.written), dry_run ? "to write" : "written");
  std::size_t there = 0;
  for (const std::size_t count : report.there) there += count;
  if (there > 0) text += fmt::format("; {} there already", there);
  return fmt::format("{}; {} left out\n", text, report.left_out);
}

std::string import_json(const ImportReport& report, bool dry_run) {
  const Json notes = Json::parse(report_json(report.notes));
  const Json json{{"status", notes["status"]},
                  {"dry_run", dry_run},
                  {"written", counts_json(report.written)},
                  {"there_already", counts_json(report.there)},
                  {"left_out", report.left_out},
                  {"files", notes["files"]}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kbench
