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

Words op_types_of(const std::vector<FoundRecord>& records) {
  Words all;
  for (const FoundRecord& found : records)
    if (const Definition* const one = definition_of(found)) all.push_back(one->op_type);
  return all;
}

Words tags_of(const std::vector<FoundRecord>& records) {
  Words all;
  for (const FoundRecord& found : records)
    if (const Definition* const one = definition_of(found))
      all.insert(all.end(), one->tags.begin(), one->tags.end());
  return all;
}

// Words that name no workload are reported.
void check_workloads(const std::vector<FoundRecord>& records, const Words& words,
                     Diagnostics& reports) {
  for (const std::string& word : words) {
    if (std::none_of(records.begin(), records.end(), [&](const FoundRecord& found) {
          return is_named_by(found.stored->record.workload, word);
        }))
      reports.error({}, "no record matches: workload \"" + word + "\"",
                    "a workload is named by its uuid, or by lengths as tables print them: batch=4");
  }
}

// Puts the names in full in the place of words.
void complete(RecordChoice& choice, const std::vector<FoundRecord>& records, Diagnostics& reports) {
  const auto give = [&](Words& words, Words names, std::string_view noun) {
    if (!words.empty()) words = names_meant(words, std::move(names), noun, reports);
  };
  give(choice.definitions, definitions_of(records), "definition");
  give(choice.solutions, solutions_of(records), "solution");
  give(choice.op_types, op_types_of(records), "op type");
  give(choice.tags, tags_of(records), "tag");
  check_workloads(records, choice.workloads, reports);
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

bool is_chosen(const FoundRecord& found, const RecordChoice& choice) {
  const Trace& trace = found.stored->record;
  const Evaluation& evaluation = *trace.evaluation;
  const bool is_named =
      choice.workloads.empty() ||
      std::any_of(choice.workloads.begin(), choice.workloads.end(),
                  [&](const std::string& word) { return is_named_by(trace.workload, word); });
  const bool is_trusted =
      choice.trust != "audit" || (evaluation.kbench && evaluation.kbench->trust == choice.trust);
  return is_named && is_trusted && evaluation.timestamp >= choice.since &&
         (choice.definitions.empty() || has_word(choice.definitions, trace.definition)) &&
         (choice.solutions.empty() || has_word(choice.solutions, *trace.solution)) &&
         is_of_definition(found, choice);
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

std::vector<FoundRecord> chosen_records(const std::vector<FoundRecord>& records,
                                        RecordChoice& choice, Diagnostics& reports) {
  const std::size_t before = reports.errors();
  complete(choice, records, reports);
  if (reports.errors() != before) return {};
  std::vector<FoundRecord> out;
  std::copy_if(records.begin(), records.end(), std::back_inserter(out),
               [&](const FoundRecord& found) { return is_chosen(found, choice); });
  return out;
}

}  // namespace kbench
