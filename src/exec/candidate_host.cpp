#include "exec/candidate_host.hpp"

#include "base/python.hpp"
#include "exec/cores.hpp"

namespace kbench {
namespace {

constexpr Service::Seconds host_start_limit{120};  // Python and LibTorch, on a busy machine
constexpr Service::Seconds fork_limit{30};
constexpr std::size_t most_forks = 4;  // processes that fork

std::vector<std::string> host_words(bool is_on_gpu) {
  if (is_on_gpu) return {"--host", "--cuda"};
  return {"--host"};
}

}  // namespace

CandidateHost::CandidateHost(const std::filesystem::path& kbench_torch, Evaluator evaluator,
                             const std::atomic<bool>& stop, bool is_on_gpu)
    : service_(torch_command(kbench_torch, evaluator, host_words(is_on_gpu)), stop,
               libtorch_environment) {}

CandidateHost::CandidateHost(std::shared_ptr<Service> loaded, const std::atomic<bool>& stop)
    : service_(std::move(loaded), "--host", stop) {}

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
  const bool is_forked = request.isolation == letter(Isolation::namespaces) &&
                         !request.starts_compilers && request.gpu.torch_device.empty();
  if (!is_forked) return start(request, fds);
  HostRequest alike = request;
  alike.directory.clear();
  alike.cores.clear();
  const std::string key = encode(alike);
  if (forks_.size() >= most_forks && !forks_.contains(key)) forks_.clear();
  const auto with_channel = [&](int channel) { return start(request, {channel}); };
  const auto& cores = request.cores;
  if (auto forked = forks_[key].fork(fds, cores.empty() ? usable_cores() : cores, with_channel))
    return forked;
  throw ServiceFailure("a process of kbench-torch --host ended before it had a worker");
}

std::unique_ptr<ChildProcess> CandidateHost::start(const HostRequest& request,
                                                   const std::vector<int>& fds) {
  service_.greeting(host_start_limit);
  const auto message = service_.ask(encode(request), fds, fork_limit);
  if (!message) throw ServiceFailure("kbench-torch --host ended without an answer");
  const HostReply reply = decode_host_reply(message->text);
  auto child = std::make_unique<ChildProcess>(Started{reply.pid, reply.init, reply.maker});
  if (!reply.message.empty()) throw ServiceFailure("no worker could be started: " + reply.message);
  return child;
}

}  // namespace kbench
