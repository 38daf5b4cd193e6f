// The means of a run's workers: processes of kbench-torch that they are forked from, and GPUs.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/builder.hpp"
#include "exec/candidate_host.hpp"
#include "exec/gpus.hpp"
#include "judge/builds.hpp"
#include "judge/pair_judge.hpp"
#include "judge/run.hpp"
#include "judge/run_caches.hpp"
#include "judge/timed_reference.hpp"

namespace kbench {

class RunHosts {
 public:
  // All of these outlive it.
  RunHosts(const RunOptions& options, RunCaches& caches, ReferenceEvaluator& evaluator,
           const std::atomic<bool>& stop);

  // Gives what wants a GPU its tensors on one like this, from now on.
  void use_gpu(const Gpu& gpu);
  // Starts those that the jobs need, so that they load LibTorch while something else is done.
  void start_for(const std::vector<Job>& jobs);
  // Refuses solutions built for a host that cannot start: they are not judged.
  void refuse_unhosted(const std::vector<Job>& jobs, Builds& builds);

  CandidateHost* python() { return &python_; }
  CandidateHost* gpu() { return gpu_ ? &*gpu_ : nullptr; }
  // Hosts where a job's reference is timed. The job and the toolchain outlive the result.
  ReferenceHosts of_reference(const Job& job, const Toolchain& toolchain);
  // Destroys what holds workers of these, which takes milliseconds for each, while its caller goes
  // on.
  void end_meanwhile(std::shared_ptr<void> workers);

 private:
  bool takes_python() const;
  bool is_hosted_by(const CandidateHost* host, const Solution& solution);
  bool any_hosted_by(const CandidateHost* host, const std::vector<Job>& jobs);
  void refuse_without(CandidateHost& host, Builds& builds);

  const RunOptions& options_;
  RunCaches& caches_;
  const std::atomic<bool>& stop_;
  CandidateHost python_, libtorch_;
  std::optional<CandidateHost> gpu_;  // Python, with tensors on a GPU
  std::optional<std::string> torch_;  // the folder and version, where it was asked for
  std::future<void> ending_;
};

struct RunGpus {
  Gpus found;                                      // list that, moved, stays where locks point to
  Cupti cupti;                                     // library for all of them
  std::vector<GpuLock> taken;                      // locks: one or more where a solution runs there
  std::vector<std::shared_ptr<void>> clocks = {};  // clocks of these, while they are locked
};

// Takes GPUs of one architecture, that of the first, where a job has a solution that wants one;
// else none.
RunGpus look_for_gpus(const std::vector<Job>& jobs, const RunOptions& options);

// Takes those that are free and answer, or waits for one, where a solution was built for them:
// RunOptions::gpus at most, else as many as there are processor cores for. Solutions that cannot be
// run move to builds.unrun: that one could not be built is a verdict, that it is not run is none.
// `goes_on` is asked while it waits.
void take_gpus(RunGpus& gpus, Builds& builds, const Toolchain& toolchain, const RunOptions& options,
               const std::function<bool()>& goes_on);

// Judges on several GPUs at once, each with processor cores of its own. A pair is always the same
// one's: what was measured on one is not to be put beside what was on another. Returns when all
// were judged, or `stop` is set.
void judge_on_gpus(const std::vector<Pair>& pairs, const std::vector<GpuLock>& gpus,
                   PairJudge& judge, const std::atomic<bool>& stop);

}  // namespace kbench
