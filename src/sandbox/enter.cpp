#include "sandbox/enter.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace kbench {
namespace {

constexpr int first_passed_fd = 3;

void limit(int resource, std::uint64_t value) {
  if (value == 0) return;
  const rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

void apply(const ProcessLimits& limits) {
  limit(RLIMIT_DATA, limits.memory_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_NPROC, limits.processes);
  limit(RLIMIT_NOFILE, limits.open_files);
  limit(RLIMIT_CPU, limits.cpu_seconds);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

// Moves the descriptors above all targets first, so that none is overwritten before it is moved.
void place_fds(std::vector<int>& fds, int output) {
  const int count = static_cast<int>(fds.size());
  const int above = first_passed_fd + count + 1;
  for (int& fd : fds) fd = ::fcntl(fd, F_DUPFD, above);
  const int null = ::open("/dev/null", O_RDWR);
  const int out = ::fcntl(output >= 0 ? output : null, F_DUPFD, above);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  for (int i = 0; i < count; ++i) ::dup2(fds[static_cast<std::size_t>(i)], first_passed_fd + i);
  ::syscall(SYS_close_range, first_passed_fd + count, ~0U, 0);
}

}  // namespace

Confinement confinement_of(const ProcessPlan& plan, pid_t parent) {
  return {parent,      plan.fds,
          plan.output, plan.directory.string(),
          plan.limits, plan.forbid_fork ? no_processes() : SyscallFilter()};
}

bool enter(Confinement& confinement) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != confinement.parent) ::_exit(127);  // it died before the line above
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int ignored : {SIGPIPE, SIGINT, SIGTERM}) ::signal(ignored, SIG_DFL);
  place_fds(confinement.fds, confinement.output);
  const std::string& directory = confinement.directory;
  if (!directory.empty() && ::chdir(directory.c_str()) != 0) return false;
  apply(confinement.limits);
  if (!confinement.filter.empty()) install(confinement.filter);
  return true;
}

}  // namespace kbench
