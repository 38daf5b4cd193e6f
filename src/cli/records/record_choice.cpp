#include "cli/records/record_choice.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "cli/shell/command_line.hpp"
#include "schema/workload_words.hpp"

namespace kbench {
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
  line.add_option("-d,--definition", choice.definitions,
                  "Only these definitions: names, unique beginnings, or patterns with * and ?")
      .text("NAME...");
  line.add_option("-s,--solution", choice.solutions, "Only these solutions, named likewise")
      .text("NAME...");
  line.add_option("-w,--workload", choice.workloads,
                  "Only these workloads: uuids, or lengths as tables print them, batch=4")
      .text("UUID|AXIS=N...");
  line.add_option("--op-type", choice.op_types, "Only definitions of these op types")
      .text("TYPE...");
  line.add_option("--tag", choice.tags, "Only definitions with one of these tags").text("TAG...");
  line.add_option("--since", choice.since, "Only records from then on: 2026-11-21")
      .check(&check_since)
      .text("TIME");
}

void declare_trust(CommandLine line, RecordChoice& choice) {
  line.add_option("--trust", choice.trust, "audit: records of kbench run --audit alone")
      .one_of({"audit"})
      .text("MODE");
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
    Diagnostics ignored;  // they are found once more
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
