#include "torch/server.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "base/channel.hpp"
#include "problem/reference_protocol.hpp"
#include "torch/execute.hpp"
#include "torch/operator_watch.hpp"
#include "torch/python_plugin.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto forever = std::chrono::hours(24 * 365);

// In the fork. The reply travels back over `socket`; nothing of this process is cleaned up.
[[noreturn]] void answer_in_fork(const ReferenceRequest& request, Fd inputs, int socket) {
  try {
    const ExecuteResult result = execute(request, std::move(inputs));
    std::vector<int> fds;
    if (result.outputs.fd() >= 0) fds.push_back(result.outputs.fd());
    send_message(socket, encode(result.reply), fds);
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

enum class Waited { answered, timeout, judge_gone };

// Until the fork has something to say. `judge` is watched so that nobody's fork goes on alone.
Waited wait_for_fork(int fork_socket, int judge, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Waited::timeout;
    pollfd both[] = {{fork_socket, POLLIN, 0}, {judge, POLLRDHUP, 0}};
    const int ready = ::poll(both, 2, static_cast<int>(std::min<long>(left, 1 << 30)));
    if (ready < 0 && errno != EINTR) return Waited::timeout;
    if (ready <= 0) continue;
    if (both[0].revents != 0) return Waited::answered;
    if (both[1].revents != 0) return Waited::judge_gone;
  }
}

int end_fork(pid_t pid) {
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

ReferenceReply failed(ReferenceOutcome outcome, std::string message) {
  ReferenceReply reply;
  reply.outcome = outcome;
  reply.message = std::move(message);
  return reply;
}

// What a fork that ended without an answer died of.
ReferenceReply cause_of_death(int status) {
  if (WIFEXITED(status)) {
    return failed(ReferenceOutcome::died,
                  "the reference's process exited with " + std::to_string(WEXITSTATUS(status)));
  }
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL) {  // none of ours: end_fork() comes after the fork's end here
    return failed(ReferenceOutcome::out_of_memory,
                  "the reference's process was killed, most likely for lack of memory");
  }
  return failed(ReferenceOutcome::died, std::string("the reference's process ended by SIG") +
                                            ::sigabbrev_np(signal) + " (" + ::strsignal(signal) +
                                            ")");
}

// The reference shares the fork, and may have written to the socket itself.
bool is_reply(const std::string& text) {
  try {
    decode_reference_reply(text);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

ReferenceReply nonsense() {
  return failed(ReferenceOutcome::died, "the reference's process sent something that is no answer");
}

// The fork closed its side, which it does by ending; or it sent half a message and goes on.
ReferenceReply without_answer(pid_t pid) {
  for (int tries = 0; tries < 100; ++tries) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return cause_of_death(status);
    ::poll(nullptr, 0, 10);
  }
  end_fork(pid);
  return nonsense();
}

bool watches_operators(const ReferenceRequest& request) {
  return request.arithmetic == Arithmetic::exact || request.effort.count_work;
}

struct Answer {
  std::string text;
  std::vector<Fd> fds;
};

// Starts the fork and gives back its answer; nothing when the judge is gone.
std::optional<Answer> answer(const ReferenceRequest& request, std::vector<Fd> fds, int judge) {
  auto [ours, theirs] = make_channel();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return Answer{encode(failed(ReferenceOutcome::died, "fork failed")), {}};
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(judge);
    ours.reset();
    answer_in_fork(request, fds.empty() ? Fd() : std::move(fds.front()), theirs.get());
  }
  theirs.reset();
  const auto limit = std::chrono::duration<double>(request.seconds > 0 ? request.seconds : 1e7);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  const Waited waited = wait_for_fork(ours.get(), judge, deadline);
  if (waited == Waited::answered) {
    auto message = receive_message(ours.get(), std::chrono::seconds(10));
    if (message && is_reply(message->text)) {
      end_fork(pid);
      return Answer{std::move(message->text), std::move(message->fds)};
    }
    if (!message) return Answer{encode(without_answer(pid)), {}};
    end_fork(pid);
    return Answer{encode(nonsense()), {}};
  }
  end_fork(pid);
  if (waited == Waited::judge_gone) return std::nullopt;
  char message[80];
  std::snprintf(message, sizeof message, "the reference ran longer than %g s", request.seconds);
  return Answer{encode(failed(ReferenceOutcome::timeout, message)), {}};
}

}  // namespace

void serve(int socket) {
  warm_up();
  send_message(socket, encode(failed(ReferenceOutcome::ok, libtorch_version())));  // ready
  while (auto message = receive_message(socket, forever)) {
    const ReferenceRequest request = decode_reference_request(message->text);
    // In this process, so that its forks find the interpreter running and the watch enabled.
    if (request.evaluator == Evaluator::python) python_plugin();
    if (watches_operators(request)) enable_watching();
    const auto reply = answer(request, std::move(message->fds), socket);
    if (!reply) return;
    std::vector<int> fds;
    for (const Fd& fd : reply->fds) fds.push_back(fd.get());
    send_message(socket, reply->text, fds);
  }
}

}  // namespace kbench
