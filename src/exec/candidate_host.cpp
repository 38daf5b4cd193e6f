#include "exec/candidate_host.hpp"

#include <utility>

#include "base/libtorch.hpp"

namespace kbench {
namespace {

constexpr Service::Seconds host_start_limit{120};  // Python and LibTorch, on a busy machine
constexpr Service::Seconds fork_limit{30};

}  // namespace

CandidateHost::CandidateHost(std::filesystem::path kbench_torch, Evaluator evaluator,
                             const std::atomic<bool>& stop)
    : service_({std::move(kbench_torch), "--host", std::string(evaluator_name(evaluator))}, stop,
               libtorch_environment) {}

void CandidateHost::start() { service_.start(); }

std::string CandidateHost::unavailable() {
  return decode_host_reply(service_.greeting(host_start_limit)).message;
}

std::unique_ptr<ChildProcess> CandidateHost::fork_worker(const HostRequest& request,
                                                         const std::vector<int>& fds) {
  if (const std::string why = unavailable(); !why.empty()) throw ServiceFailure(why);
  const auto message = service_.ask(encode(request), fds, fork_limit);
  if (!message) throw ServiceFailure("kbench-torch --host ended without an answer");
  const HostReply reply = decode_host_reply(message->text);
  auto child = std::make_unique<ChildProcess>(Started{reply.pid, reply.init, reply.maker});
  if (!reply.message.empty()) throw ServiceFailure("no worker could be started: " + reply.message);
  return child;
}

}  // namespace kbench
