// The processes of kbench-torch that the workers of a run are forked from.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "build/builder.hpp"
#include "exec/candidate_host.hpp"
#include "exec/gpus.hpp"
#include "judge/builds.hpp"
#include "judge/run.hpp"
#include "judge/run_caches.hpp"
#include "judge/timed_reference.hpp"

namespace kbench {

class RunHosts {
 public:
  // All of these outlive it.
  RunHosts(const RunOptions& options, RunCaches& caches, const std::atomic<bool>& stop);

  // From now on what wants a GPU has its tensors on one like this.
  void use_gpu(const Gpu& gpu);
  // Starts those that the jobs need, so that they load LibTorch while something else is done.
  void start_for(const std::vector<Job>& jobs);
  // What was built for a host that cannot start is not judged.
  void refuse_unhosted(const std::vector<Job>& jobs, Builds& builds);

  CandidateHost* python() { return &python_; }
  CandidateHost* gpu() { return gpu_ ? &*gpu_ : nullptr; }
  // Where a job's reference is timed. The job and the toolchain outlive the result.
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
  std::future<void> ending_;
};

}  // namespace kbench
