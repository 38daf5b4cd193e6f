#include "sandbox/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/system.hpp"
#include "base/text.hpp"
#include "sandbox/enter.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;
std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

// ---- the parent's side ----

ExitStatus status_from(int raw) {
  if (WIFEXITED(raw)) return {true, WEXITSTATUS(raw)};
  return {false, WTERMSIG(raw)};
}

int poll_milliseconds(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

// End of a wait after which the judge looks whether to stop.
Clock::time_point next_look(Clock::time_point deadline, const std::atomic<bool>* stop) {
  constexpr auto slice = std::chrono::milliseconds(50);
  return stop == nullptr ? deadline : std::min(deadline, Clock::now() + slice);
}

void stop_if(const std::atomic<bool>* stop) {
  if (stop != nullptr && *stop) throw Interrupted();
}

// Reads what a process prints until it closes its output, or the deadline.
void collect(int output, Clock::time_point deadline, std::size_t keep,
             const std::atomic<bool>* stop, RunResult& result) {
  char buffer[1 << 16];
  for (;;) {
    stop_if(stop);
    pollfd entry{output, POLLIN, 0};
    const int ready = ::poll(&entry, 1, poll_milliseconds(next_look(deadline, stop)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && Clock::now() < deadline) continue;
    if (ready <= 0) return;
    const ssize_t n = ::read(output, buffer, sizeof buffer);
    if (n <= 0) return;
    const auto size = static_cast<std::size_t>(n);
    result.output_bytes += size;
    result.output.append(buffer, std::min(size, keep - std::min(keep, result.output.size())));
  }
}

// Returns its status; nothing when it still runs at the deadline.
std::optional<ExitStatus> wait_for_end(ChildProcess& child, Clock::time_point deadline,
                                       const std::atomic<bool>* stop) {
  for (;;) {
    const auto left = next_look(deadline, stop) - Clock::now();
    const auto status = child.wait(std::max<std::chrono::nanoseconds>(left, {}));
    if (status || Clock::now() >= deadline) return status;
    stop_if(stop);
  }
}

}  // namespace

std::string describe(const ExitStatus& status) {
  if (status.exited) return fmt::format("exited with {}", status.code);
  const char* name = ::sigabbrev_np(status.code);
  const char* words = ::strsignal(status.code);
  return fmt::format("ended by SIG{} ({})", name != nullptr ? name : std::to_string(status.code),
                     words != nullptr ? words : "?");
}

std::string last_words(const std::string& program, const ExitStatus& status,
                       std::string_view printed) {
  const std::string_view text = status.exited ? trim(printed) : "";
  std::string line(text.substr(text.rfind('\n') + 1));
  for (const std::string& own : {program, std::filesystem::path(program).filename().string()})
    if (line.starts_with(own + ": ")) line.erase(0, own.size() + 2);
  return line.empty() ? "it " + describe(status) : line;
}

ChildProcess::ChildProcess(const ProcessPlan& plan) : group_(plan.group) {
  if (group_) memory_kills_ = group_->memory_kills();
  std::vector<char*> argv = pointers(plan.argv);
  std::vector<char*> environment = pointers(plan.environment);
  Confinement confinement = confinement_of(plan, ::getpid());
  const Launched launched = launch(confinement, Parent::caller,
                                   [&] { ::execve(argv[0], argv.data(), environment.data()); });
  started_ = launched.started;
  watch();
  if (launched.error == 0) return;
  kill();
  throw std::system_error(launched.error, std::generic_category(),
                          plan.argv[0] + (launched.step.empty() ? "" : ": " + launched.step));
}

ChildProcess::ChildProcess(const Started& started, std::shared_ptr<ChildProcess> forker)
    : started_(started), forker_(std::move(forker)) {
  if (forker_) group_ = forker_->group_;
  if (group_) memory_kills_ = group_->memory_kills();
  watch();
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::watch() {
  const pid_t pid = started_.process;
  if (pid <= 0) return;  // helpers alone are to be reaped
  ::setpgid(pid, pid);   // the child does so, too: the first one counts
  pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

std::optional<ExitStatus> ChildProcess::wait(std::chrono::nanoseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (!status_) {
    pollfd entry{pidfd_.get(), POLLIN, 0};
    const int ready = ::poll(&entry, 1, poll_milliseconds(deadline));
    if (ready < 0 && errno != EINTR) fail_by_errno("poll");
    if (ready == 0) return std::nullopt;
    if (ready > 0) reap();
  }
  return status_;
}

void ChildProcess::reap() {
  int raw = 0;
  rusage usage{};
  while (::wait4(started_.process, &raw, 0, &usage) < 0 && errno == EINTR) {
  }
  status_ = status_from(raw);
  peak_bytes_ = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// The kernel ends whatever else is in the init's namespace.
void ChildProcess::end_init() {
  for (pid_t* const pid : {&started_.maker, &started_.init}) {
    if (*pid <= 0) continue;
    ::kill(*pid, SIGKILL);
    while (::waitpid(*pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    *pid = -1;
  }
}

ExitStatus ChildProcess::kill() {
  const pid_t pid = started_.process;
  if (pid > 0) ::kill(-pid, SIGKILL);  // processes that the child left behind, too
  if (pid > 0 && !status_) {
    ::kill(pid, SIGKILL);
    reap();
    ::kill(-pid, SIGKILL);
  }
  end_init();  // comes after the child, which an init outlives until it is reaped
  if (group_ && !forker_) group_->end_processes();
  return status_.value_or(ExitStatus{});
}

RunResult run_process(ProcessPlan plan, std::chrono::nanoseconds timeout, std::size_t keep,
                      const std::atomic<bool>* stop) {
  stop_if(stop);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_by_errno("pipe2");
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  plan.output = write_end.get();
  ChildProcess child(plan);
  write_end.reset();
  const auto deadline = Clock::now() + timeout;
  RunResult result;
  collect(read_end.get(), deadline, keep, stop, result);
  const auto status = wait_for_end(child, deadline, stop);
  result.timed_out = !status;
  result.status = status ? *status : child.kill();
  result.out_of_memory = child.out_of_memory();
  return result;
}

}  // namespace kbench
