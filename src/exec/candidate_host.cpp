#include "exec/candidate_host.hpp"

#include "base/libtorch.hpp"

namespace kbench {
namespace {

constexpr Service::Seconds host_start_limit{120};  // Python and LibTorch, on a busy machine
constexpr Service::Seconds fork_limit{30};

std::vector<std::string> host_words(bool is_on_gpu) {
  if (is_on_gpu) return {"--host", "--cuda"};
  return {"--host"};
}

}  // namespace

CandidateHost::CandidateHost(const std::filesystem::path& kbench_torch, Evaluator evaluator,
                             const std::atomic<bool>& stop, bool is_on_gpu)
    : service_(torch_command(kbench_torch, evaluator, host_words(is_on_gpu)), stop,
               libtorch_environment) {}

void CandidateHost::start() {
  const std::lock_guard lock(mutex_);
  service_.start();
}

std::string CandidateHost::unavailable() try {
  const std::lock_guard lock(mutex_);
  if (problem_.empty()) service_.greeting(host_start_limit);
  return problem_;
} catch (const ServiceFailure& failure) {
  return problem_ = failure.what();
}

std::unique_ptr<ChildProcess> CandidateHost::fork_worker(const HostRequest& request,
                                                         const std::vector<int>& fds) {
  const std::lock_guard lock(mutex_);
  service_.greeting(host_start_limit);
  const auto message = service_.ask(encode(request), fds, fork_limit);
  if (!message) throw ServiceFailure("kbench-torch --host ended without an answer");
  const HostReply reply = decode_host_reply(message->text);
  auto child = std::make_unique<ChildProcess>(Started{reply.pid, reply.init, reply.maker});
  if (!reply.message.empty()) throw ServiceFailure("no worker could be started: " + reply.message);
  return child;
}

}  // namespace kbench
