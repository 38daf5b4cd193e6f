#include "exec/candidate_host.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "base/channel.hpp"

namespace kbench {
namespace {

constexpr auto start_limit = std::chrono::seconds(120);  // Python and LibTorch, on a busy machine
constexpr auto fork_limit = std::chrono::seconds(30);

}  // namespace

struct CandidateHost::State {
  std::filesystem::path program;
  const std::atomic<bool>& stop;
  Fd socket;
  std::optional<ChildProcess> process;
  std::optional<std::string> unavailable;

  void start() {
    auto [ours, theirs] = make_channel();
    ProcessPlan plan;
    plan.argv = {program.string(), "--host"};
    // As the workers; and numpy starts no threads, which a fork would not have.
    plan.environment = {"LC_ALL=C.UTF-8", "GOMP_SPINCOUNT=2000", "OPENBLAS_NUM_THREADS=1"};
    plan.fds = {theirs.get()};
    unavailable.reset();
    process.emplace(plan);
    socket = std::move(ours);
  }

  HostReply receive(std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!wait_readable(socket.get(), std::chrono::milliseconds(50))) {
      if (stop) break;
      if (std::chrono::steady_clock::now() > deadline) break;
    }
    const bool is_there = wait_readable(socket.get(), {});
    std::optional<Message> message;
    if (is_there) message = receive_message(socket.get(), std::chrono::seconds(10));
    if (message) return decode_host_reply(message->text);
    process.reset();
    throw HostFailure(program.string() +
                      (is_there ? " --host ended without an answer" : " --host does not answer"));
  }

  const std::string& await_start() {
    if (!process) start();
    if (!unavailable) unavailable = receive(start_limit).message;
    return *unavailable;
  }
};

CandidateHost::CandidateHost(std::filesystem::path kbench_torch, const std::atomic<bool>& stop)
    : state_(new State{std::move(kbench_torch), stop, {}, {}, {}}) {}

CandidateHost::~CandidateHost() = default;

void CandidateHost::start() {
  if (!state_->process) state_->start();
}

const std::string& CandidateHost::unavailable() { return state_->await_start(); }

std::unique_ptr<ChildProcess> CandidateHost::fork_worker(const HostRequest& request,
                                                         const std::vector<int>& fds) {
  if (const std::string& why = unavailable(); !why.empty()) throw HostFailure(why);
  send_message(state_->socket.get(), encode(request), fds);
  const HostReply reply = state_->receive(fork_limit);
  if (reply.pid <= 0) throw HostFailure("no worker could be started: " + reply.message);
  return std::make_unique<ChildProcess>(reply.pid);
}

}  // namespace kbench
