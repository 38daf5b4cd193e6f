#include "judge/replay.hpp"

#include <fmt/format.h>

#include "judge/record.hpp"
#include "schema/record_signature.hpp"
#include "schema/solution.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

// Records of one group are judged by one run.
std::string group_of(const Trace& record) {
  const Details& details = *record.evaluation->kbench;
  Evaluation only;
  only.kbench = Details{};
  only.kbench->rule = details.rule;
  only.kbench->seed = details.seed;
  only.kbench->settings = details.settings;
  return record.definition + to_json(only, Dump::full);
}

// Solutions that kbench makes of references have the same name in each definition.
std::string name_of(const std::string& solution, const std::string& definition) {
  return is_of_reference(solution) ? solution + " of " + definition : solution;
}

// Places by record and name of the solution: what runs may be a configured one.
using Places = std::map<std::pair<const Stored<Trace>*, std::string>, std::size_t>;

}  // namespace

RecordChecker::RecordChecker(const TraceSet& set, AsRun as_run)
    : set_(set), as_run_(std::move(as_run)) {
  for (const auto& stored : set.definitions)
    definitions_.emplace(stored.record.name, &stored.record);
  for (const auto& stored : set.solutions)
    solutions_.emplace(name_of(stored.record.name, stored.record.definition), &stored);
  for (const auto& stored : set.workloads) {
    workloads_.emplace(std::pair(stored.record.definition, stored.record.workload.uuid),
                       &stored.record.workload);
  }
}

template <class Record>
void RecordChecker::compare(std::string_view noun, const std::string& name,
                            const std::string& recorded, const Record* found,
                            std::vector<Change>& changes) {
  if (found == nullptr) {
    changes.push_back(
        {true, fmt::format("{} \"{}\" is not in {}", noun, name, set_.root.string())});
    return;
  }
  std::string& hash = hashes_[found];
  if (hash.empty()) {
    if constexpr (std::is_same_v<Record, Workload>) {
      hash = content_hash(*found, set_.root);
    } else {
      hash = content_hash(*found);
    }
  }
  if (hash != recorded)
    changes.push_back(
        {false, fmt::format("{} \"{}\" has changed since the record was made", noun, name)});
}

const RecordChecker::Run& RecordChecker::as_run(const Stored<Solution>& stored,
                                                const Details& details) {
  const Configuration* const values =
      details.configuration ? &details.configuration->values : nullptr;
  const std::string text = values == nullptr ? "" : configuration_text(*values);
  const auto [known, is_new] = as_run_known_.try_emplace({&stored, text});
  if (is_new) {
    const auto definition = definitions_.find(stored.record.definition);
    known->second =
        as_run_(stored, definition == definitions_.end() ? nullptr : definition->second, values);
  }
  return known->second;
}

void RecordChecker::compare_calls(const Trace& record, const Run& run,
                                  std::vector<Change>& changes) {
  const auto& [solution, prepare, has_parameters, conditions] = run;
  const Details& details = *record.evaluation->kbench;
  if (has_parameters && !details.configuration)
    changes.push_back({false, fmt::format("solution \"{}\" has parameters now", solution.name)});
  if (prepare != details.basis->prepare.value_or(""))
    changes.push_back({false, fmt::format("the function that prepares solution \"{}\" has changed "
                                          "since the record was made",
                                          *record.solution)});
  // Records of earlier versions, which no key of today has signed, say nothing of conditions.
  const bool says_conditions = details.basis->conditions || details.signature;
  if (says_conditions && details.basis->conditions.value_or("") != conditions)
    changes.push_back(
        {false, fmt::format("the conditions of solution \"{}\" have changed since the "
                            "record was made",
                            *record.solution)});
}

RecordCheck RecordChecker::check(const Trace& record) {
  RecordCheck out;
  const Doubt doubt = doubt_about(record);
  if (doubt != Doubt::none) out.changed.emplace_back(text_of(doubt));
  const auto changes = changes_since(record);
  if (changes)
    for (const Change& change : *changes) out.changed.push_back(change.text);
  out.has_hashes = changes || !out.changed.empty();
  return out;
}

bool RecordChecker::is_outdated(const Trace& record) {
  const auto changes = changes_since(record);
  return changes && std::any_of(changes->begin(), changes->end(),
                                [](const Change& change) { return !change.is_absent; });
}

std::optional<std::vector<RecordChecker::Change>> RecordChecker::changes_since(
    const Trace& record) {
  const auto& details = record.evaluation->kbench;
  if (!details || !details->basis || !details->digest) return std::nullopt;
  const auto find = [](const auto& known, const auto& name) {
    const auto found = known.find(name);
    return found == known.end() ? nullptr : found->second;
  };
  const auto* const stored = find(solutions_, name_of(*record.solution, record.definition));
  const Run* const run = stored == nullptr ? nullptr : &as_run(*stored, *details);
  if (details->kernel && run == nullptr) return std::nullopt;
  std::vector<Change> changes;
  const Basis& basis = *details->basis;
  const std::string& uuid = record.workload.uuid;
  compare("definition", record.definition, basis.definition, find(definitions_, record.definition),
          changes);
  compare("workload", uuid, basis.workload, find(workloads_, std::pair(record.definition, uuid)),
          changes);
  compare("solution", *record.solution, basis.solution,
          run == nullptr ? nullptr : &std::get<0>(*run), changes);
  if (run != nullptr) compare_calls(record, *run, changes);
  return changes;
}

std::vector<std::optional<Trace>> judge_again(const TraceSet& set,
                                              const std::vector<const Stored<Trace>*>& records,
                                              const RunOptions& base, RunEvents events,
                                              const std::atomic<bool>& stop) {
  std::vector<std::optional<Trace>> out(records.size());
  std::map<std::string, std::vector<Job>> groups;
  Places places;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Trace& record = records[i]->record;
    const Definition* definition = set.definition(record.definition);
    const Solution* solution = set.solution_of(record);
    if (definition == nullptr || solution == nullptr || !record.evaluation->kbench) continue;
    groups[group_of(record)].push_back({definition, records[i], {solution}});
    places[{records[i], solution->name}] = i;
  }
  const auto finished = std::move(events.finished);
  events.finished = [&](const Job& job, const Solution& solution, const Trace& trace) {
    out[places.at({job.workload, solution.name})] = trace;
    if (finished) finished(job, solution, trace);
  };
  for (const auto& [group, jobs] : groups) {
    RunOptions options = base;
    options.out.clear();
    options.judges_all = true;
    if (apply_settings(jobs.front().workload->record, options))
      run_jobs(set, jobs, options, events, stop);
  }
  return out;
}

}  // namespace kbench
