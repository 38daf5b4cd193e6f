#include "cli/run/watching.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.hpp"
#include "cli/compare/base.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// Pause between two looks: time for an editor to write all of a file, and little beside a build.
constexpr auto pause = std::chrono::milliseconds(30);
// Looking takes at most this part of a core.
constexpr int least_rest = 20;

}  // namespace

Stamps stamps_of(const std::vector<fs::path>& places) {
  Stamps stamps;
  const auto add = [&](const fs::path& file) { stamps[file.string()] = file_identity(file); };
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) add(place);
    if (!fs::is_directory(place, error)) continue;
    for (fs::recursive_directory_iterator next(place, error), end; !error && next != end;
         next.increment(error))
      if (next->is_regular_file(error)) add(next->path());
  }
  return stamps;
}

std::vector<std::string> changed(const Stamps& before, const Stamps& now) {
  std::vector<std::string> files;
  for (const auto& [file, stamp] : now) {
    const auto old = before.find(file);
    if (old == before.end() || old->second != stamp) files.push_back(file);
  }
  for (const auto& [file, stamp] : before)
    if (!now.contains(file)) files.push_back(file);
  return files;
}

Stamps wait_for_change(const std::vector<fs::path>& places, const Stamps& before,
                       const std::atomic<bool>& stop) {
  Stamps last = before;
  while (!stop) {
    const auto begin = SteadyClock::now();
    Stamps now = stamps_of(places);
    if (now == last && now != before) return now;
    last = std::move(now);
    std::this_thread::sleep_for(
        std::max<SteadyClock::duration>(pause, least_rest * (SteadyClock::now() - begin)));
  }
  return before;
}

namespace {

// Rule for somebody who waits: coarser than `kbench compare`, and undecided sooner.
constexpr CompareRule rule{0.01, 0.01};
constexpr double budget_ns = 0.3e9;  // budget of a workload

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
