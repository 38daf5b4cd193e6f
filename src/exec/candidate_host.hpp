// The judge's side of a host (kbench-torch --host), the source of workers for candidates that run
// in Python, and for references that are timed. Python and LibTorch take seconds to load; a fork of
// a process that has them is there at once.
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
  // Starts the program with the first use. `evaluator` runs its workers' code. `is_on_gpu`: the
  // host computes there, with CUDA's libraries.
  CandidateHost(const std::filesystem::path& kbench_torch, Evaluator evaluator,
                const std::atomic<bool>& stop, bool is_on_gpu = false);
  // Forks the host from a program that has loaded both.
  CandidateHost(std::shared_ptr<Service> loaded, const std::atomic<bool>& stop);

  // Starts it unless it runs: it gets ready while the judge goes on with its work.
  void start();
  // Reason that it has no workers here, "" when it has: there may be no Python. Throws Interrupted.
  std::string unavailable();
  // Starts a worker with these descriptors: those of worker_protocol.hpp, and its output as the
  // last. Throws ServiceFailure, Interrupted.
  std::unique_ptr<ChildProcess> fork_worker(const HostRequest& request,
                                            const std::vector<int>& fds);

 private:
  std::unique_ptr<ChildProcess> start(const HostRequest& request, const std::vector<int>& fds);

  std::mutex mutex_;  // lanes of several GPUs share one
  Service service_;
  std::map<std::string, Forks> forks_;  // key: the request that all its workers share
  std::string problem_;                 // kept, so that no second start says the same
};

}  // namespace kbench
