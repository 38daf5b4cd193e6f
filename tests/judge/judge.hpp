// A run by the real programs, for tests of a candidate's outcome.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/run.hpp"

namespace kbench {

struct JudgeOptions {
  RunConfig config = default_config();
  Isolation isolation = best_isolation();
  std::optional<AuditPool> audit = {};
  std::uint64_t seed = 0;
  int threads = 2;
  Sanitizers sanitizers = {};
  std::string rule = "flashinfer-bench";
  std::optional<ContestRule> contest = {};
  std::optional<MeasuredPeaks> peaks = {};
  Engine engine = Engine::kbench;
  bool times_reference = false;  // takes one more process with LibTorch
  // Callbacks of a run, as in RunEvents; may be left out.
  decltype(RunEvents::prepared) prepared = {};
  decltype(RunEvents::judged) judged = {};
  decltype(RunEvents::contested) contested = {};
  decltype(RunOptions::judge_pair) judge_pair = {};
  std::function<void(const std::string& solution, const Trace& trace)> finished = {};
};

// Returns the trace of each solution of `set` by name. Warnings and errors fail the test.
inline std::map<std::string, Trace> judge(const TraceSet& set,
                                          const std::vector<Stored<Trace>>& workloads,
                                          const JudgeOptions& how = {}) {
  Diagnostics problems;
  const auto jobs = plan_jobs(set, workloads, {}, problems);
  RunOptions options;
  options.programs = KBENCH_BIN_DIR;
  // Builds are kept between runs of the tests, beside the programs: these are many compilations.
  const char* const cache = std::getenv("KBENCH_CACHE");
  options.build_cache =
      (cache != nullptr ? std::filesystem::path(cache)
                        : std::filesystem::path(KBENCH_BIN_DIR).parent_path() / "test-cache") /
      "builds";
  options.build_limits = {std::uint64_t{1} << 28, std::uint64_t{1} << 26};
  options.config = how.config;
  options.config.profile_baseline = how.times_reference;
  options.audit = how.audit;
  options.seed = how.seed;
  options.judge.sanitize = name_of(how.sanitizers);
  options.rule = how.rule;
  options.contest = how.contest;
  options.peaks = how.peaks;
  options.judge.engine = engine_name(how.engine);
  options.judge_pair = how.judge_pair;
  options.judge.threads = std::min(how.threads, 2);
  options.worker_limits.threads = how.audit ? how.threads : 1;
  options.build_jobs = 2;
  options.judge.budget_seconds = 0.01;
  options.worker_limits.isolation = how.isolation;
  options.worker_limits.call_seconds = how.audit ? 2.5 : 3;
  options.worker_limits.load_seconds = 3;
  options.worker_limits.memory_bytes = std::uint64_t{1} << 28;
  std::map<std::string, Trace> out;
  RunEvents events;
  events.finished = [&](const Job&, const Solution& solution, const Trace& trace) {
    out[solution.name] = trace;
    if (how.finished) how.finished(solution.name, trace);
  };
  events.prepared = how.prepared;
  events.judged = how.judged;
  events.contested = how.contested;
  events.reported = [](const Diagnostics& reports) {
    for (const Diagnostic& report : reports.items())
      if (report.level != Level::info) ADD_FAILURE() << render(report, false);
  };
  const std::atomic<bool> stop{false};
  run_jobs(set, jobs, options, events, stop);
  return out;
}

}  // namespace kbench
