// Judges solutions on workloads that are ready, and records what was found. Several threads of a
// run on several GPUs may do so.
#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/confined.hpp"
#include "judge/builds.hpp"
#include "judge/evaluate.hpp"
#include "judge/record.hpp"
#include "judge/run.hpp"
#include "judge/timed_reference.hpp"

namespace kbench {

// Failures of a solution before its other workloads are not run: FlashInfer-Bench's numbers.
inline int allowed_failures(Status status) {
  switch (status) {
    case Status::passed:
    case Status::incorrect_numerical:
      return 0;  // no limit: neither counts
    case Status::compile_error:
    case Status::timeout:
      return 1;
    default:
      return 3;
  }
}

// Memory of a solution's failures: it decides what is still run on other workloads.
struct FailureMemory {
  int failures = 0;
  Evaluation last;

  bool skips() const { return failures > 0 && failures >= allowed_failures(last.status); }

  void note(const Evaluation& evaluation) {
    if (skips()) return;  // the solution was not run
    if (evaluation.status == Status::passed) failures = 0;
    if (allowed_failures(evaluation.status) == 0) return;
    ++failures;
    last = evaluation;
  }
};

// A solution and a workload of its definition, and how it is judged there.
struct Pair {
  const Job* job = nullptr;
  const Solution* solution = nullptr;
  std::shared_ptr<const PreparedWorkload> workload;
  EvaluateOptions options;
  ReferenceHosts hosts = {};  // hosts that time references, where it waits for a GPU
};

class PairJudge {
 public:
  // All of these outlive it.
  PairJudge(const RunOptions& options, const RunEvents& events, const Builds& builds,
            Recorder& recorder, const std::atomic<bool>& stop)
      : options_(options), events_(events), builds_(builds), recorder_(recorder), stop_(stop) {
    if (!options.out.empty()) confine(options.out);
  }

  // Judges a pair, unless its GPU has stopped answering: that is said once.
  void judge(const Pair& pair, SharedMemory& stage);
  void record(const Pair& pair, Evaluation evaluation);
  // Reports it where it could not be judged.
  void record_judged(const Pair& pair, const JudgedEntrant& entrant);

  // Remembers a judgement of an earlier run that stands.
  void remember(const Solution& solution, const Evaluation& evaluation);
  // Asks the GPU after a failure on it; where it no longer answers, that is reported.
  void ask_gpu(const Pair& pair, Status status);
  // Returns the label of a solution's calls, as its record will say it.
  std::string label_of(const Job& job, const Solution& solution, const Gpu* gpu);
  // Tells whether the GPU answers, as far as it was asked.
  bool answers(const Gpu& gpu);

  // Counts a solution of a job that cannot be judged there, by its build.
  void count_unjudged(const Solution& solution);

  // Reports that something is wrong with the world, and not with a solution.
  void report_broken(Where where, std::string what);
  // Reports an error in this job that no solution is to blame for.
  void report_failed(const Job& job, const std::exception& error);

  // Totals, read or added to by one thread at a time.
  RunTotals totals;

 private:
  std::optional<Evaluation> skipped(const Solution& solution);
  void profile(const Pair& pair, SharedMemory& stage, Evaluation& evaluation);
  void write(const Trace& trace, const std::filesystem::path& file);
  void report(const Diagnostics& reports);
  bool was_ended_with_us(const Evaluation& evaluation) const;
  void report_unjudged(const Pair& pair, std::string_view reason);

  const RunOptions& options_;
  const RunEvents& events_;
  const Builds& builds_;
  Recorder& recorder_;
  const std::atomic<bool>& stop_;
  std::recursive_mutex mutex_;  // guards all that follows, events and the recorder
  std::map<const Solution*, FailureMemory> failures_;
  std::set<const Gpu*> lost_;
};

}  // namespace kbench
