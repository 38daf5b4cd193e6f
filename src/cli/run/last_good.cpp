#include "cli/run/last_good.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/compare/base.hpp"

namespace kbench {
namespace {

// Somebody waits: coarser than `kbench compare`, and undecided sooner.
constexpr CompareRule rule{0.01, 0.01};
constexpr double budget_ns = 0.3e9;  // of a workload

std::map<std::string, bool> passed_by_solution(const std::vector<Trace>& verdicts) {
  std::map<std::string, bool> passed;
  for (const Trace& trace : verdicts) {
    const auto [all, is_new] = passed.try_emplace(*trace.solution, true);
    all->second &= has_passed(trace);
  }
  return passed;
}

void put(std::vector<Stored<Solution>>& solutions, const Stored<Solution>& now) {
  const auto old = std::find_if(solutions.begin(), solutions.end(), [&](const auto& stored) {
    return stored.record.name == now.record.name;
  });
  if (old == solutions.end())
    solutions.push_back(now);
  else
    *old = now;
}

}  // namespace

ComparisonReport LastGood::compare(const Plan& plan, const std::vector<Trace>& verdicts,
                                   const RunCommand& command, const Settings& settings) const {
  ComparisonReport report{"before", "now", rule};
  const bool are_timed = command.options.judge.sanitize.empty();
  for (std::size_t i = 0; are_timed && i < std::min(sets_.size(), plan.targets.size()); ++i) {
    ContestRule contest;
    contest.compare = rule;
    contest.budget_ns = budget_ns;
    HeldRun held = hold_against(sets_[i], {plan.targets[i], plan.jobs[i], verdicts}, command,
                                settings, contest);
    for (ComparedWorkload& one : held.base.compared)
      if (one.compared) report.workloads.push_back(std::move(one));
  }
  report.planned = report.workloads.size();
  return report;
}

void LastGood::note(const Plan& plan, const std::vector<Trace>& verdicts) {
  const auto passed = passed_by_solution(verdicts);
  sets_.resize(std::max(sets_.size(), plan.targets.size()));
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    for (const auto& stored : plan.targets[i].set.solutions) {
      const auto verdict = passed.find(stored.record.name);
      if (verdict != passed.end() && verdict->second) put(sets_[i].solutions, stored);
    }
  }
}

}  // namespace kbench
