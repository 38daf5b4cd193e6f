#include "cli/records/evaluated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/command_line.hpp"
#include "judge/replay.hpp"
#include "judge/timed_reference.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// A folder that `kbench run --out` wrote has traces/ alone: its files stand for it. Files of a
// folder traces/ itself do, too.
std::vector<std::string> with_files_of_outputs(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::error_code error;
    std::vector<std::string> files;
    if (!is_trace_set(path) && fs::is_directory(path, error)) files = trace_files(path);
    if (files.empty()) files.push_back(path);
    for (std::string& file : files) out.push_back(std::move(file));
  }
  return out;
}

std::vector<fs::path> files_of_traces(const Target& target) {
  std::vector<fs::path> files;
  const fs::path folder = target.set.root / folder_name(Folder::traces);
  if (!is_folder(folder)) return files;
  for (const std::string& file : files_below(folder, ".jsonl")) files.push_back(folder / file);
  return files;
}

// Tells whether it is an evaluated trace, once it is as it is asked for.
bool is_evaluated(Trace& trace, const AlsoFound& also) {
  if (also.emulated && trace.emulation) trace.evaluation = *trace.emulation;
  if (!also.samples) drop_samples(trace);
  return trace.evaluation && trace.solution;
}

}  // namespace

std::vector<FoundRecord> find_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                                        Diagnostics& diagnostics) {
  const auto kept_in = [](Target& target) -> std::vector<Stored<Trace>>& {
    return target.from_files ? target.workloads : target.set.traces;
  };
  for_each_evaluated(places, targets, diagnostics, [&](const FoundRecord& found) {
    const auto target = std::find_if(targets.begin(), targets.end(),
                                     [&found](const Target& one) { return &one.set == found.set; });
    kept_in(*target).push_back(std::move(*found.stored));
  });
  std::vector<FoundRecord> found;
  for (Target& target : targets) {
    auto& records = kept_in(target);
    for (const std::string_view name : names_of_references)
      if (std::any_of(records.begin(), records.end(),
                      [&](const auto& stored) { return stored.record.solution == name; }))
        add_references(name, target.set);
    for (Stored<Trace>& stored : records) found.push_back({&target.set, &stored});
  }
  return found;
}

void for_each_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                        Diagnostics& diagnostics,
                        const std::function<void(const FoundRecord& found)>& take) {
  targets = load_targets(with_files_of_outputs(places.paths), places.root,
                         {false, true, places.also.without_set}, diagnostics);
  for (const Target& target : targets) {
    std::optional<RecordChecker> checker;
    if (places.also.marks_outdated) checker.emplace(target.set, &solution_as_run);
    for (const fs::path& file : target.from_files ? target.files : files_of_traces(target)) {
      const auto take_line = [&](TraceLine&& line) {
        const bool is_misplaced = !target.from_files && is_workload_trace(line.trace);
        if (is_misplaced) report_misplaced(Folder::traces, file, line.line, diagnostics);
        if (is_misplaced || !is_evaluated(line.trace, places.also)) return;
        Stored<Trace> stored{std::move(line.trace), file.string(), line.line};
        if (checker) stored.record.is_outdated = checker->is_outdated(stored.record);
        warn_of_contradiction(stored.record, stored.path, stored.line, diagnostics);
        take({&target.set, &stored});
      };
      read_trace_file(file, diagnostics, take_line);
    }
  }
}

std::vector<std::string> names_meant(const std::vector<std::string>& words,
                                     std::vector<std::string> names, std::string_view noun,
                                     Diagnostics& diagnostics) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> meant;
  for (const std::string& word : words) {
    NameMatch why;
    const std::vector<std::string> found = match_names(word, names, noun, why);
    meant.insert(meant.end(), found.begin(), found.end());
    if (found.empty())
      diagnostics.error({}, fmt::format("no record matches: {}", why.message), why.hint);
  }
  return meant;
}

void warn_of_doubts(const LeftOut& left_out, Diagnostics& diagnostics) {
  // Contradictory ones are named one by one.
  constexpr std::array<std::string_view, doubts> texts = {
      "",
      "changed after being written, their digest is another, or is missing",
      "no key that is trusted has signed them",
      "signed in the old form, which covers their digest alone",
      "",
      "their definition, workload or solution has changed since"};
  for (std::size_t i = 0; i < doubts; ++i)
    if (const std::size_t count = left_out.doubted[i]; count > 0 && !texts[i].empty())
      diagnostics.warning({}, fmt::format("{} left out: {}", counted(count, "record"), texts[i]));
}

void declare_evaluated(CommandLine line, std::vector<std::string>& paths) {
  line.add_option("path [PATH]...", paths,
                  "Trace sets, what kbench run --out wrote, files of traces; default: the current "
                  "trace set");
}

std::string record_name(const Stored<Trace>& stored) {
  const Trace& trace = stored.record;
  return printable(fmt::format("{}:{}: {} {} {}", stored.path, stored.line, trace.definition,
                               trace.workload.uuid, *trace.solution));
}

namespace {

using Words = std::vector<std::string>;

const Definition* definition_of(const FoundRecord& found) {
  return found.set == nullptr ? nullptr : found.set->definition(found.stored->record.definition);
}

bool is_of_definition(const FoundRecord& found, const RecordChoice& choice) {
  if (choice.op_types.empty() && choice.tags.empty()) return true;
  const Definition* const definition = definition_of(found);
  if (definition == nullptr) return false;
  const bool has_tag =
      std::any_of(definition->tags.begin(), definition->tags.end(),
                  [&](const std::string& tag) { return has_word(choice.tags, tag); });
  return (choice.op_types.empty() || has_word(choice.op_types, definition->op_type)) &&
         (choice.tags.empty() || has_tag);
}

// The begin of an ISO 8601 time.
std::string check_since(const std::string& text) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  const bool is_good = text.size() >= 4 && text.size() <= form.size() &&
                       std::equal(text.begin(), text.end(), form.begin(), [](char c, char f) {
                         return f == '0' ? c >= '0' && c <= '9' : c == f;
                       });
  return is_good ? "" : "it is a date, or the begin of a time: 2026-11, 2026-11-21T12:00";
}

}  // namespace

void declare_record_choice(CommandLine line, RecordChoice& choice) {
  line.add_option("-d,--definition NAME...", choice.definitions,
                  "Only these definitions: names, unique beginnings, or patterns with * and ?");
  line.add_option("-s,--solution NAME...", choice.solutions,
                  "Only these solutions, named likewise");
  line.add_option("-w,--workload UUID|AXIS=N...", choice.workloads,
                  "Only these workloads: uuids, or lengths as tables print them, batch=4");
  line.add_option("--op-type TYPE...", choice.op_types, "Only definitions of these op types");
  line.add_option("--tag TAG...", choice.tags, "Only definitions with one of these tags");
  line.add_option("--since TIME", choice.since, "Only records from then on: 2026-11-21")
      .check(&check_since);
}

void declare_trust(CommandLine line, RecordChoice& choice) {
  line.add_option("--trust MODE", choice.trust, "audit: records of kbench run --audit alone")
      .one_of({"audit"});
}

bool RecordChooser::has_words() const {
  return !choice_.definitions.empty() || !choice_.solutions.empty() || !choice_.workloads.empty() ||
         !choice_.op_types.empty() || !choice_.tags.empty();
}

void RecordChooser::note(const FoundRecord& found) {
  const Trace& trace = found.stored->record;
  definitions_.insert(trace.definition);
  solutions_.insert(*trace.solution);
  for (const std::string& word : choice_.workloads)
    if (is_named_by(trace.workload, word)) workloads_.insert(word);
  if (choice_.op_types.empty() && choice_.tags.empty()) return;
  const Definition* const definition = definition_of(found);
  if (definition == nullptr) return;
  op_types_.insert(definition->op_type);
  tags_.insert(definition->tags.begin(), definition->tags.end());
}

bool RecordChooser::complete(Diagnostics& reports) {
  const std::size_t before = reports.errors();
  const auto give = [&](Words& words, const auto& names, std::string_view noun) {
    if (!words.empty()) words = names_meant(words, {names.begin(), names.end()}, noun, reports);
  };
  give(choice_.definitions, definitions_, "definition");
  give(choice_.solutions, solutions_, "solution");
  give(choice_.op_types, op_types_, "op type");
  give(choice_.tags, tags_, "tag");
  for (const std::string& word : choice_.workloads)
    if (!workloads_.contains(word))
      reports.error({}, "no record matches: workload \"" + word + "\"",
                    "a workload is named by its uuid, or by lengths as tables print them: batch=4");
  return reports.errors() == before;
}

bool RecordChooser::has(const FoundRecord& found) const {
  const Trace& trace = found.stored->record;
  const Evaluation& evaluation = *trace.evaluation;
  const bool is_named =
      choice_.workloads.empty() ||
      std::any_of(choice_.workloads.begin(), choice_.workloads.end(),
                  [&](const std::string& word) { return is_named_by(trace.workload, word); });
  const bool is_trusted =
      choice_.trust != "audit" || (evaluation.kbench && evaluation.kbench->trust == choice_.trust);
  return is_named && is_trusted && evaluation.timestamp >= choice_.since &&
         (choice_.definitions.empty() || has_word(choice_.definitions, trace.definition)) &&
         (choice_.solutions.empty() || has_word(choice_.solutions, *trace.solution)) &&
         is_of_definition(found, choice_);
}

bool for_each_chosen(const RecordPlaces& places, RecordChoice& choice, std::vector<Target>& targets,
                     Diagnostics& reports,
                     const std::function<void(const FoundRecord& found, bool is_chosen)>& take) {
  RecordChooser chooser(choice);
  if (chooser.has_words()) {
    Diagnostics ignored;  // found once more below
    for_each_evaluated(places, targets, ignored,
                       [&](const FoundRecord& found) { chooser.note(found); });
  }
  const bool is_clear = chooser.complete(reports);
  const auto give = [&](const FoundRecord& found) {
    if (is_clear) take(found, chooser.has(found));
  };
  for_each_evaluated(places, targets, reports, give);
  return is_clear;
}

std::vector<FoundRecord> chosen_records(const std::vector<FoundRecord>& records,
                                        RecordChoice& choice, Diagnostics& reports) {
  RecordChooser chooser(choice);
  if (chooser.has_words())
    for (const FoundRecord& found : records) chooser.note(found);
  if (!chooser.complete(reports)) return {};
  std::vector<FoundRecord> out;
  std::copy_if(records.begin(), records.end(), std::back_inserter(out),
               [&](const FoundRecord& found) { return chooser.has(found); });
  return out;
}

}  // namespace kbench
