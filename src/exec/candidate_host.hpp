// The judge's side of a host (kbench-torch --host): where the workers of candidates that
// run in Python, and of references that are timed, come from. Python and LibTorch take seconds to
// load; a fork of a process that has them is there at once.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "problem/host_protocol.hpp"
#include "problem/reference_protocol.hpp"
#include "sandbox/forks.hpp"
#include "sandbox/process.hpp"
#include "sandbox/service.hpp"

namespace kbench {

class CandidateHost {
 public:
  // Starts the program with the first use. `evaluator`: what its workers run in. `is_on_gpu`: it
  // computes there, with CUDA's libraries.
  CandidateHost(const std::filesystem::path& kbench_torch, Evaluator evaluator,
                const std::atomic<bool>& stop, bool is_on_gpu = false);
  // Forked from a program that has loaded both.
  CandidateHost(std::shared_ptr<Service> loaded, const std::atomic<bool>& stop);

  // Starts it unless it runs: it gets ready while the judge goes on with its work.
  void start();
  // Why it has no workers here, "" when it has: there may be no Python. Throws Interrupted.
  std::string unavailable();
  // A worker with these descriptors: those of worker_protocol.hpp, and its output as the last.
  // Throws ServiceFailure, Interrupted.
  std::unique_ptr<ChildProcess> fork_worker(const HostRequest& request,
                                            const std::vector<int>& fds);

 private:
  std::unique_ptr<ChildProcess> start(const HostRequest& request, const std::vector<int>& fds);

  std::mutex mutex_;  // lanes of several GPUs share one
  Service service_;
  std::map<std::string, Forks> forks_;  // by what their workers have in common
  std::string problem_;                 // it is not started again to say the same
};

}  // namespace kbench
