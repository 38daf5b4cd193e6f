#include "sandbox/enter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "sandbox/box.hpp"
#include "sandbox/file_view.hpp"

namespace kbench {
namespace {

// Message of the processes that are being started to the one that starts them. Texts are constants,
// or of the confinement: all have them at the same place.
struct Note {
  pid_t process, init;
  int error;
  const char* step;
};
constexpr const char* maps_wanted = "the maps of users and groups";  // no error: a request

void tell(int report, const Note& note) {
  if (::write(report, &note, sizeof note) < 0) ::_exit(127);
}

bool limit(int resource, std::uint64_t value) {
  if (value == 0) return true;
  const auto which = static_cast<__rlimit_resource>(resource);
  rlimit now{};
  if (::getrlimit(which, &now) != 0) return false;
  const rlim_t least = std::min<rlim_t>(value, now.rlim_max);  // a stricter one stays
  const rlimit both{least, least};
  return ::setrlimit(which, &both) == 0;
}

bool apply(const ProcessLimits& limits) {
  constexpr std::uint64_t pending_signals = 1024;  // timers too: one limit for all of a user's
  const rlimit no_core{0, 0};
  return limit(RLIMIT_DATA, limits.memory_bytes) && limit(RLIMIT_FSIZE, limits.file_bytes) &&
         limit(RLIMIT_NPROC, limits.processes) && limit(RLIMIT_CPU, limits.cpu_seconds) &&
         limit(RLIMIT_SIGPENDING, pending_signals) && ::setrlimit(RLIMIT_CORE, &no_core) == 0;
}

void forget_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int ignored : {SIGPIPE, SIGINT, SIGTERM}) ::signal(ignored, SIG_DFL);
}

void end_with_parent(const Confinement& c) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent died before the line above. A box hides the parent, which init watches there.
  if (!c.box && ::getppid() != c.parent) ::_exit(127);
}

// Obeys the rules of a level, from the widest to the narrowest. nullptr or the step that failed.
const char* obey_level(const Confinement& c) {
  if (c.rules && !c.private_folder.empty() &&
      !allow_folder(c.rules.get(), c.private_folder.c_str(), c.pipes)) {
    return "Landlock";
  }
  if (c.rules && !obey(c.rules.get())) return "Landlock";
  if (c.user) {
    if (!become_user(*c.user)) return "another user";
    end_with_parent(c);  // the change of user cleared it
  }
  return c.keeps_capabilities ? nullptr : drop_capabilities();
}

bool stay_on(const std::vector<int>& cores) {
  if (cores.empty()) return true;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

// Returns nullptr or the step that failed; the report's descriptor is where it was then.
const char* enter(Confinement& c) {
  ::setpgid(0, 0);
  end_with_parent(c);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "no new privileges";
  forget_signals();
  if (!c.directory.empty() && ::chdir(c.directory.c_str()) != 0) return "the working directory";
  if (!stay_on(c.cores)) return "the cores";
  if (c.fixed_addresses && ::personality(ADDR_NO_RANDOMIZE) < 0) return "fixed addresses";
  if (const char* failed = obey_level(c)) return failed;
  if (!apply(c.limits)) return "limits";
  return nullptr;
}

[[noreturn]] void become(Confinement& c, int report, const std::function<void()>& body) {
  const char* step = enter(c);
  if (step == nullptr) {
    c.fds.push_back(report);  // launch() has reserved room
    if (!place_fds(c.fds, c.output)) {
      step = "descriptors";
    } else {
      report = first_passed_fd + static_cast<int>(c.fds.size()) - 1;
      ::fcntl(report, F_SETFD, FD_CLOEXEC);
      // This limit comes last: the judge's descriptors, closed by now, are as many as its inputs.
      const bool is_limited = limit(RLIMIT_NOFILE, c.limits.open_files);
      const bool held = is_limited && (c.filter.empty() || install(c.filter));
      if (held) body();
      step = !is_limited ? "limits" : held ? "" : "seccomp";  // "": there is no such program
    }
  }
  tell(report, {0, 0, errno, step});
  ::_exit(127);
}

// The first process of the namespace: it reaps processes that others leave behind, and when the
// judge ends, it ends, and everything there with it.
[[noreturn]] void be_init(int judge) {
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGCHLD, SIG_IGN);
  outlive(judge);
  ::_exit(0);
}

// The watcher beside a process that may start others and has no namespace ends the whole group when
// the judge ends. A compiler's own children would outlive it otherwise.
[[noreturn]] void be_watcher(int judge, pid_t process) {
  outlive(judge);
  ::kill(-process, SIGKILL);
  ::_exit(0);
}

// Returns -1 where there can be no watcher.
pid_t fork_watcher(const Confinement& c, pid_t process) {
  const Fd judge(static_cast<int>(::syscall(SYS_pidfd_open, c.parent, 0)));
  if (!judge) return -1;
  const pid_t pid = ::fork();
  if (pid == 0) be_watcher(judge.get(), process);
  return pid;
}

// A watched process waits for its watcher: it would leave its children behind if the judge died
// before. A process that needs maps waits until it has them.
struct Gate {
  Fd out, in;
};

void wait_at(Gate& gate) {
  gate.in.reset();
  char byte = 0;
  ssize_t n = 0;
  do {
    n = ::read(gate.out.get(), &byte, 1);
  } while (n < 0 && errno == EINTR);
  if (n != 1) ::_exit(127);
}

// A fork without the C library's knowledge: its parent is this process's parent.
pid_t fork_beside() {
  return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
}

// Makes the namespaces and their first two processes, and ends.
[[noreturn]] void be_maker(Confinement& c, int report, Gate& gate,
                           const std::function<void()>& body) {
  ::setpgid(0, 0);
  const int judge = static_cast<int>(::syscall(SYS_pidfd_open, c.parent, 0));
  if (judge < 0 || ::getppid() != c.parent) ::_exit(127);
  const char* step = move_into(*c.box, [&] {
    tell(report, {0, 0, 0, maps_wanted});
    wait_at(gate);
  });
  Note note{0, 0, errno, step};
  if (step == nullptr) {
    note = {0, fork_beside(), 0, nullptr};
    if (note.init == 0) be_init(judge);
    if (note.init > 0) note.process = fork_beside();
    if (note.init > 0 && note.process == 0) become(c, report, body);
    if (note.process < 0 || note.init < 0) note = {-1, note.init, errno, "fork"};
  }
  tell(report, note);
  ::_exit(0);
}

// Closes the gate where the maps cannot be written, and the maker ends.
void give_maps(const Box& box, Gate& gate, Launched& launched) {
  if (write_maps(box, launched.started.maker) && ::write(gate.in.get(), "", 1) == 1) return;
  launched.error = errno;
  launched.step = maps_wanted;
  gate.in.reset();
}

void read_notes(int report, const Confinement& c, Gate& gate, Launched& launched) {
  Note note{};
  ssize_t n = 0;
  while ((n = ::read(report, &note, sizeof note)) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof note) break;
    if (note.step == maps_wanted) {
      give_maps(*c.box, gate, launched);
      continue;
    }
    if (note.process > 0) launched.started.process = note.process;
    if (note.init > 0) launched.started.init = note.init;
    if (note.error == 0) continue;
    launched.error = note.error;
    launched.step = note.step != nullptr ? note.step : "";
  }
}

// Returns the user it will be, who then owns its writable folders; nothing: it stays the same.
std::optional<uid_t> user_for(const ProcessPlan& plan) {
  const std::optional<uid_t>& user = spare_user();
  const bool boxed = plan.isolation == Isolation::namespaces;
  FileView files = plan.files;
  if (!plan.argv.empty()) files.readable.emplace_back(plan.argv[0]);
  if (!boxed && files.private_bytes > 0) files.writable.push_back(plan.directory);
  if (!user || !is_public(files, !boxed)) return std::nullopt;
  for (const auto& folder : files.writable) give_away(folder, *user);
  return user;
}

// A process that forks has no filter: each fork takes its own.
SyscallFilter filter_of(const ProcessPlan& plan) {
  if (plan.forks) return {};
  if (plan.forbid_fork) return no_processes();
  return plan.isolation == Isolation::limits ? SyscallFilter() : no_intrusion(plan.local_sockets);
}

// A program of the judge's own choice, a profiler say, has the rights of the user that runs it.
bool keeps_capabilities(const ProcessPlan& plan) {
  return plan.isolation == Isolation::limits && !plan.forbid_fork && !plan.argv.empty();
}

}  // namespace

// Moves descriptors above all targets first, so that none is overwritten before it is moved.
bool place_fds(std::vector<int>& fds, int output) {
  const int count = static_cast<int>(fds.size());
  const int above = first_passed_fd + count + 1;
  for (int& fd : fds) fd = ::fcntl(fd, F_DUPFD, above);
  const int null = ::open("/dev/null", O_RDWR);
  if (null < 0) return false;
  const int out = ::fcntl(output >= 0 ? output : null, F_DUPFD, above);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  for (int i = 0; i < count; ++i) ::dup2(fds[static_cast<std::size_t>(i)], first_passed_fd + i);
  return ::syscall(SYS_close_range, first_passed_fd + count, ~0U, 0) == 0;
}

Confinement confinement_of(const ProcessPlan& plan, pid_t parent) {
  Confinement c;
  c.parent = parent;
  c.fds = plan.fds;
  c.output = plan.output;
  c.directory = plan.directory.string();
  c.limits = plan.limits;
  c.cores = plan.cores;
  c.fixed_addresses = plan.fixed_addresses;
  c.group = plan.group.get();
  c.filter = filter_of(plan);
  c.keeps_capabilities = keeps_capabilities(plan);
  c.watch_group = !plan.forbid_fork && plan.isolation != Isolation::namespaces;
  if (plan.isolation == Isolation::limits) return c;
  FileView files = plan.files;
  const bool boxed = plan.isolation == Isolation::namespaces;
  const std::optional<uid_t> user = user_for(plan);
  if (boxed) c.box = plan_box(files, plan.directory, user);
  if (user) c.user = boxed ? nobody : *user;
  if (boxed && files.private_bytes > 0) c.private_folder = c.directory;
  if (!boxed && files.private_bytes > 0) files.writable.push_back(plan.directory);
  c.pipes = plan.local_sockets;
  c.rules = make_landlock_rules(files, plan.local_sockets);
  return c;
}

namespace {

[[noreturn]] void be_child(Confinement& c, int report, Gate& gate,
                           const std::function<void()>& body) {
  if (c.box) be_maker(c, report, gate, body);
  become(c, report, body);
}

pid_t fork_for(const Confinement& c, Parent parent, const std::function<void()>& child) {
  if (c.group != nullptr) return c.group->fork(child);
  const pid_t pid = parent == Parent::caller ? ::fork() : fork_beside();
  if (pid == 0) child();
  return pid;
}

// Makes the watcher, then opens the gate.
void watch(const Confinement& c, pid_t pid, int gate, Launched& launched) {
  launched.started.init = fork_watcher(c, pid);
  if (::write(gate, "", 1) != 1) launched.error = errno;
}

}  // namespace

Launched launch(Confinement& c, Parent parent, const std::function<void()>& body) {
  Launched launched;
  c.fds.reserve(c.fds.size() + 1);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {{}, errno, "pipe2"};
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  int gate_ends[2];
  if (::pipe2(gate_ends, O_CLOEXEC) != 0) return {{}, errno, "pipe2"};
  Gate gate{Fd(gate_ends[0]), Fd(gate_ends[1])};
  const pid_t pid = fork_for(c, parent, [&] {
    if (c.watch_group) wait_at(gate);
    be_child(c, write_end.get(), gate, body);
  });
  if (pid < 0) return {{}, errno, c.group != nullptr ? "fork in a cgroup" : "fork"};
  (c.box ? launched.started.maker : launched.started.process) = pid;
  if (c.watch_group) watch(c, pid, gate.in.get(), launched);
  write_end.reset();
  read_notes(read_end.get(), c, gate, launched);
  if (launched.started.process < 0 && launched.error == 0) launched.error = ECHILD;
  return launched;
}

void close_report(std::size_t passed_fds) {
  ::close(first_passed_fd + static_cast<int>(passed_fds));
}

bool write_text(const char* path, std::string_view text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool good = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  ::close(fd);
  errno = error;
  return good;
}

void outlive(int pidfd) {
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);
  ::dup2(pidfd, 0);
  ::syscall(SYS_close_range, 1, ~0U, 0);
  pollfd entry{0, POLLIN, 0};
  while (::poll(&entry, 1, -1) <= 0) {
  }
}

}  // namespace kbench
