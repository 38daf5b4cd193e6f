#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "base/channel.hpp"
#include "base/file.hpp"
#include "base/system.hpp"
#include "problem/reference_protocol.hpp"
#include "reference/torch/exact/operator_watch.hpp"
#include "reference/torch/serving/execute.hpp"
#include "reference/torch/serving/python.hpp"
#include "reference/torch/serving/services.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// Small requests for one reference share a fork, one after the other: to fork a process with
// LibTorch in it, and to confine the fork, takes longer than they do. Memory that they leave counts
// against its limit, so large ones have forks of their own, and so has Python, whose modules keep
// what a call leaves in them. A check() has one, too: it reads a candidate's outputs.
constexpr std::size_t small_inputs = std::size_t{1} << 22;
constexpr int most_requests = 256;  // limit of a fork

bool may_share(const ReferenceRequest& request) {
  std::size_t bytes = 0;
  for (const ReferenceArgument& input : request.inputs) bytes += input.bytes;
  return request.kind == ReferenceRequest::Kind::run && request.evaluator == Evaluator::libtorch &&
         bytes <= small_inputs;
}

// Fork that is answering, or waits for its next request.
struct Fork {
  pid_t pid = -1;
  Fd socket;
  int requests = 0;

  bool is_there() const { return pid > 0; }
};

// Runs in the fork. The replies travel back over `socket`; nothing of this process is cleaned up.
[[noreturn]] void answer_in_fork(ReferenceRequest request, Fd inputs, int socket) {
  try {
    for (;;) {
      const ExecuteResult result = execute(request, std::move(inputs));
      std::vector<int> fds;
      if (result.outputs.fd() >= 0) fds.push_back(result.outputs.fd());
      send_message(socket, encode(result.reply), fds);
      if (!may_share(request)) break;
      auto next = receive_message(socket, forever);
      if (!next) break;
      request = decode_reference_request(next->text);
      inputs = next->fds.empty() ? Fd() : std::move(next->fds.front());
    }
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

enum class Waited { answered, timeout, judge_gone };

// Waits until the fork has sent something. `judge` is watched so that nobody's fork goes on alone.
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

// Returns the cause of death of a fork that ended without an answer.
ReferenceReply cause_of_death(int status) {
  if (WIFEXITED(status)) {
    return failed(ReferenceOutcome::died,
                  "the reference's process exited with " + std::to_string(WEXITSTATUS(status)));
  }
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL) {  // a kill that is not end_fork()'s: that comes after the fork's end here
    return failed(ReferenceOutcome::out_of_memory,
                  "the reference's process was killed, most likely for lack of memory");
  }
  return failed(ReferenceOutcome::died, std::string("the reference's process ended by SIG") +
                                            ::sigabbrev_np(signal) + " (" + ::strsignal(signal) +
                                            ")");
}

// References share the fork, and may have written to the socket themselves.
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
  return request.arithmetic == Arithmetic::exact || request.effort.watch;
}

struct ServedAnswer {
  std::string text;
  std::vector<Fd> fds;
};

ServedAnswer failure(ReferenceOutcome outcome, std::string message) {
  return {encode(failed(outcome, std::move(message))), {}};
}

class AnsweringForks {
 public:
  explicit AnsweringForks(int judge) : judge_(judge) {}
  // Reaps the forks: nobody else would.
  ~AnsweringForks() {
    for (Kept& kept : kept_) end(kept.fork);
  }
  AnsweringForks(const AnsweringForks&) = delete;
  AnsweringForks& operator=(const AnsweringForks&) = delete;

  // Answers by a fork that has answered for this reference, else by a new one; nothing when the
  // judge is gone.
  std::optional<ServedAnswer> answer(const Message& message, const ReferenceRequest& request) {
    Kept& kept = kept_[request.arithmetic == Arithmetic::exact ? 1 : 0];
    Fork fork;
    if (may_share(request) && kept.is_for(request)) fork = std::exchange(kept.fork, {});
    if (fork.is_there() && !send_on(fork, message)) end(fork);
    if (!fork.is_there()) {
      end(kept.fork);
      if (!begin(fork, message, request)) return failure(ReferenceOutcome::died, "fork failed");
    }
    auto answer = wait_for(fork, request.seconds);
    if (!answer || !fork.is_there()) return answer;
    keep(kept, std::move(fork), request);
    return answer;
  }

 private:
  // Last fork of its kind, and the request for which it was made.
  struct Kept {
    ReferenceRequest request;
    Fork fork;

    // Forks can watch operators where this process could when they were made.
    bool is_for(const ReferenceRequest& other) const {
      return request.reference == other.reference && request.bytes == other.bytes &&
             request.threads == other.threads &&
             (watches_operators(request) || !watches_operators(other));
    }
  };

  static void keep(Kept& kept, Fork fork, const ReferenceRequest& request) {
    if (!may_share(request) || ++fork.requests >= most_requests) return end(fork);
    if (fork.requests == 1) kept.request = request;  // the request that it was made for
    kept.fork = std::move(fork);
  }

  static void end(Fork& fork) {
    if (fork.is_there()) end_fork(fork.pid);
    fork = {};
  }

  static bool send_on(const Fork& fork, const Message& message) try {
    std::vector<int> fds;
    for (const Fd& fd : message.fds) fds.push_back(fd.get());
    send_message(fork.socket.get(), message.text, fds);
    return true;
  } catch (const std::system_error&) {  // the fork has ended
    return false;
  }

  bool begin(Fork& fork, const Message& message, const ReferenceRequest& request) {
    auto [ours, theirs] = make_channel();
    const pid_t parent = ::getpid();
    fork = {::fork(), std::move(ours), 0};
    if (fork.pid != 0) return fork.pid > 0;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(judge_);
    fork.socket.reset();
    for (Kept& other : kept_) other.fork.socket.reset();
    answer_in_fork(request, message.fds.empty() ? Fd() : Fd(::dup(message.fds.front().get())),
                   theirs.get());
  }

  // Ends the fork where it has not answered, or not with a reply.
  std::optional<ServedAnswer> wait_for(Fork& fork, double seconds) const {
    const auto limit = std::chrono::duration<double>(seconds > 0 ? seconds : 1e7);
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    const Waited waited = wait_for_fork(fork.socket.get(), judge_, deadline);
    if (waited == Waited::answered) {
      auto message = receive_message(fork.socket.get(), std::chrono::seconds(10));
      if (message && is_reply(message->text))
        return ServedAnswer{std::move(message->text), std::move(message->fds)};
      const pid_t pid = std::exchange(fork.pid, -1);
      if (!message) return ServedAnswer{encode(without_answer(pid)), {}};
      end_fork(pid);
      return ServedAnswer{encode(nonsense()), {}};
    }
    end(fork);
    if (waited == Waited::judge_gone) return std::nullopt;
    char text[80];
    std::snprintf(text, sizeof text, "it ran longer than %g s", seconds);
    return failure(ReferenceOutcome::timeout, text);
  }

  int judge_;
  std::array<Kept, 2> kept_;  // forks for native and for exact answers
};

}  // namespace

void greet(int socket, std::string_view message) {
  std::fflush(nullptr);
  const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    if (::dup2(nowhere.get(), output) < 0) fail_by_errno("dup2");
  send_message(socket, message);
}

void serve(int socket) {
  warm_up();
  greet(socket, encode(failed(ReferenceOutcome::ok, libtorch_version())));
  AnsweringForks forks(socket);
  while (const auto message = receive_message(socket, forever)) {
    const ReferenceRequest request = decode_reference_request(message->text);
    // Enabled in this process, so that its forks find the watch enabled, and modules imported.
    if (watches_operators(request)) enable_watching();
    import_for_forks(request);
    const auto reply = forks.answer(*message, request);
    if (!reply) return;
    std::vector<int> fds;
    for (const Fd& fd : reply->fds) fds.push_back(fd.get());
    send_message(socket, reply->text, fds);
  }
}

}  // namespace kbench
