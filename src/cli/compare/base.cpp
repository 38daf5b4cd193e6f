#include "cli/compare/base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/compare/compare.hpp"
#include "cli/judging/running.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/to_json.hpp"
#include "schema/trace.hpp"

namespace kbench {
namespace {

constexpr std::size_t looks = 2;
constexpr double second_budget = 4;  // times the first

// Tells whether the same would be built: name, author and description are no part of a program.
bool is_same_program(const Solution& a, const Solution& b) {
  const auto is_same = [](const auto& x, const auto& y) {
    return to_json(x, Dump::full) == to_json(y, Dump::full);
  };
  return is_same(a.spec, b.spec) && a.sources.size() == b.sources.size() &&
         std::equal(a.sources.begin(), a.sources.end(), b.sources.begin(), is_same);
}

PairKey key_of(const Stored<Trace>& workload, const Solution& solution) {
  return {workload.record.definition, workload.record.workload.uuid, solution.name};
}

// Pairs of each solution and each workload of its definition.
std::map<PairKey, const Stored<Trace>*> pairs_in(const TraceSet& set,
                                                 const std::vector<Stored<Trace>>& workloads) {
  std::multimap<std::string_view, const Solution*> solutions;
  for (const auto& stored : set.solutions)
    solutions.emplace(stored.record.definition, &stored.record);
  std::map<PairKey, const Stored<Trace>*> pairs;
  for (const auto& workload : workloads) {
    const auto [begin, end] = solutions.equal_range(workload.record.definition);
    for (auto one = begin; one != end; ++one) pairs[key_of(workload, *one->second)] = &workload;
  }
  return pairs;
}

bool begins_any(const std::vector<std::string>& words, const std::string& name) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return name.starts_with(word);
         });
}

bool names_any(const std::vector<std::string>& words, const Workload& workload) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return is_named_by(workload, word);
         });
}

// Tells whether a run that judges some definitions or workloads would judge this one of the base.
bool is_chosen(const Selection& selection, const TraceSet& base, const Trace& workload) {
  if (!begins_any(selection.definitions, workload.definition) ||
      !names_any(selection.workloads, workload.workload))
    return false;
  const Definition* const definition = base.definition(workload.definition);
  if (definition == nullptr) return selection.op_types.empty() && selection.tags.empty();
  const bool has_tag =
      std::any_of(definition->tags.begin(), definition->tags.end(),
                  [&](const std::string& tag) { return has_word(selection.tags, tag); });
  return (selection.op_types.empty() || has_word(selection.op_types, definition->op_type)) &&
         (selection.tags.empty() || has_tag);
}

std::vector<Trace> missing_of(const TraceSet& base, const Judged& now, const Selection& selection) {
  std::vector<Trace> missing;
  if (!selection.solutions.empty()) return missing;  // the others are not looked for
  const auto pairs = pairs_in(now.target.set, now.target.workloads);
  for (const auto& [key, workload] : pairs_in(base, base.workloads)) {
    if (pairs.contains(key) || !is_chosen(selection, base, workload->record)) continue;
    Trace& trace = missing.emplace_back(workload->record);
    trace.solution = std::get<2>(key);
  }
  return missing;
}

RunOptions timing_options(const RunCommand& command, const RunConfig& config,
                          const ContestRule& rule, std::size_t jobs) {
  RunOptions options = run_options_of(command, config);
  options.config.profile_baseline = false;  // the two alone count
  options.audit.reset();                    // verdicts are there: this is about time
  options.contest = rule;
  options.contest->compare = rule.compare.of_each(jobs * looks);
  options.contest->pace.cold = command.options.judge.cold;
  return options;
}

// The jobs of which noise has hidden who is faster.
std::vector<Job> undecided_of(const std::vector<Job>& jobs,
                              const std::vector<ComparedWorkload>& rows) {
  std::set<PairKey> hidden;
  for (const ComparedWorkload& row : rows)
    if (row.compared && row.compared->answer == Answer::undecided) hidden.insert(key_of(row.b));
  std::vector<Job> out;
  for (const Job& job : jobs)
    if (hidden.contains(key_of(*job.workload, *job.solutions.back()))) out.push_back(job);
  return out;
}

// Puts what a later look has found in the place of what the first one had.
void replace_rows(std::vector<ComparedWorkload>& rows, std::vector<ComparedWorkload> later) {
  std::map<PairKey, ComparedWorkload*> places;
  for (ComparedWorkload& row : rows) places[key_of(row.b)] = &row;
  for (ComparedWorkload& row : later) *places.at(key_of(row.b)) = std::move(row);
}

// Times a pair that stays undecided once more with a larger budget, before a gate says so. Each
// look may err by half of what the rule allows.
ComparedRounds compare_in_two_looks(const Round& round, RunOptions options) {
  ComparedRounds found = compare_rounds({round}, options);
  const std::vector<Job> hidden = undecided_of(round.jobs, found.workloads);
  if (hidden.empty() || found.totals.interrupted || found.totals.broken) return found;
  tell(fmt::format("{} undecided: timed again with {:g} times the budget\n",
                   counted(hidden.size(), "pair"), second_budget));
  options.contest->budget_ns *= second_budget;
  ComparedRounds later = compare_rounds({{round.set, hidden, round.of_a}}, options);
  replace_rows(found.workloads, std::move(later.workloads));
  found.totals.interrupted |= later.totals.interrupted;
  found.totals.broken |= later.totals.broken;
  return found;
}

std::set<PairKey> passed_in(const std::vector<Trace>& verdicts) {
  std::set<PairKey> passed;
  for (const Trace& trace : verdicts)
    if (has_passed(trace)) passed.insert(key_of(trace));
  return passed;
}

}  // namespace

std::optional<TraceSet> load_base(const std::string& folder, Diagnostics& reports) {
  if (!is_trace_set(folder)) {
    reports.error({folder}, "no trace set is there: it has no definitions/",
                  "--base names another state of the trace set, such as a work tree of git");
    return std::nullopt;
  }
  Diagnostics found;
  TraceSet set = load_trace_set(folder, {true, false}, found);
  if (found.errors() > 0)
    reports.warning({folder},
                    fmt::format("{} of the base cannot be read, and count as if not there",
                                counted(found.errors(), "place")),
                    "kbench validate says which");
  return set;
}

HeldRun hold_against(const TraceSet& base, const Judged& now, const RunCommand& command,
                     const Settings& settings, const ContestRule& rule) {
  HeldRun held;
  const std::set<PairKey> passed = passed_in(now.verdicts);
  Round round{&now.target.set, {}, " of the base"};
  std::map<std::string_view, const Solution*> olds;
  for (const auto& stored : base.solutions) olds.emplace(stored.record.name, &stored.record);
  for (const Job& job : now.jobs) {
    for (const Solution* solution : job.solutions) {
      const PairKey key = key_of(*job.workload, *solution);
      const auto old = olds.find(solution->name);
      if (old == olds.end() || old->second->definition != solution->definition ||
          !passed.contains(key))
        continue;
      if (is_same_program(*old->second, *solution)) {
        held.base.unchanged.insert(key);
      } else {
        held.base.changed.insert(key);
        round.jobs.push_back({job.definition, job.workload, {old->second, solution}});
      }
    }
  }
  held.base.missing = missing_of(base, now, selection_of(command, settings));
  if (round.jobs.empty()) return held;
  ComparedRounds compared = compare_in_two_looks(
      round, timing_options(command, settings.config, rule, round.jobs.size()));
  held.base.compared = std::move(compared.workloads);
  held.totals = compared.totals;
  return held;
}

}  // namespace kbench
