#include "sandbox/cgroup.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/system.hpp"
#include "base/text.hpp"
#include "sandbox/enter.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "kbench-group-";
constexpr int most_tries = 500;  // tries to end or remove something that needs a moment

void pause_a_moment() { ::poll(nullptr, 0, 2); }

// Kills the processes that a file lists, one a line; tells whether there was one. A process that
// this one cannot see stands there as 0. Safe in forks, too.
bool kill_listed(const char* list, pid_t but) {
  const int fd = ::open(list, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char buffer[4096];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  ::close(fd);
  bool any = false;
  pid_t pid = 0;
  for (ssize_t i = 0; i < n; ++i) {
    if (buffer[i] != '\n') {
      pid = pid * 10 + (buffer[i] - '0');
      continue;
    }
    if (pid > 0 && pid != but) any = ::kill(pid, SIGKILL) == 0 || any;
    pid = 0;
  }
  return any;
}

// Waits until the judge has ended, then ends the processes in its group and removes that.
[[noreturn]] void be_remover(int judge, const std::vector<std::string>& folders,
                             const std::vector<std::string>& lists) {
  outlive(judge);
  for (int i = 0; i < most_tries; ++i) {
    bool left = false;
    for (const std::string& list : lists) kill_listed(list.c_str(), 0);
    for (const std::string& folder : folders)
      left |= ::rmdir(folder.c_str()) != 0 && errno == EBUSY;
    if (!left) break;
    pause_a_moment();
  }
  ::_exit(0);
}

// Forks into a group of version 2 at once: moving a process there later takes the kernel tens of
// milliseconds. ENOSYS where a filter forbids it.
pid_t clone_into(const fs::path& folder) {
  const Fd group(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!group) return -1;
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(group.get());
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

fs::path make_folder(const fs::path& parent, Fd& lock) {
  for (;;) {
    std::string name = parent / std::string(prefix).append("XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) fail_by_errno(name);
    lock = Fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A judge that clears up may take it for abandoned until it is locked.
    if (lock && ::flock(lock.get(), LOCK_EX) == 0 && fs::exists(name)) return name;
  }
}

void remove_folder(const fs::path& folder) {
  for (int i = 0; i < most_tries && ::rmdir(folder.c_str()) != 0 && errno == EBUSY; ++i)
    pause_a_moment();
}

std::string number(std::uint64_t limit, std::string_view none) {
  return limit == 0 ? std::string(none) : std::to_string(limit);
}

void write_limit(const fs::path& file, const std::string& text) {
  if (!write_text(file.c_str(), text)) fail_by_errno(file);
}

}  // namespace

// Version 1 cannot start a process in another group. But a thread can be in one, and so are its
// forks; it is moved there once, which takes the kernel tens of milliseconds.
class Cgroup::Launcher {
 public:
  explicit Launcher(const std::vector<fs::path>& folders) {
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the other threads take signals
    thread_ = std::thread([this, folders] { work(folders); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Launcher() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Forks as Cgroup::fork() says.
  pid_t fork(const std::function<void()>& child) {
    std::unique_lock lock(mutex_);
    child_ = &child;
    changed_.notify_all();
    changed_.wait(lock, [this] { return child_ == nullptr; });
    errno = error_;
    return forked_;
  }

 private:
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* child_ = nullptr;
  pid_t forked_ = -1;
  int error_ = 0;
  bool stop_ = false;

  void work(const std::vector<fs::path>& folders) {
    int refused = 0;
    for (const fs::path& folder : folders) {
      if (!write_text((folder / "tasks").c_str(), "0")) refused = errno;
    }
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stop_ || child_ != nullptr; });
      if (stop_) return;
      forked_ = refused == 0 ? ::fork() : -1;
      if (forked_ == 0) {
        (*child_)();
        ::_exit(127);
      }
      error_ = refused == 0 ? errno : refused;
      child_ = nullptr;
      changed_.notify_all();
    }
  }
};

Cgroup::Cgroup(const CgroupPlace& place) : version_(place.version), owner_(::getpid()) {
  try {
    make(place);
  } catch (const std::system_error&) {
    remove();
    throw;
  }
}

Cgroup::~Cgroup() {
  if (owner_ == ::getpid()) {
    remove();
  } else {
    static_cast<void>(launcher_.release());  // a fork's copy has no such thread
  }
}

void Cgroup::make(const CgroupPlace& place) {
  for (const fs::path& parent : place.folders) {
    Fd lock;
    folders_.push_back(make_folder(parent, lock));
    locks_.push_back(std::move(lock));
  }
  start_remover();
  if (version_ == 1) launcher_ = std::make_unique<Launcher>(folders_);
}

void Cgroup::start_remover() {
  const Fd judge(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  if (!judge) fail_by_errno("pidfd");
  std::vector<std::string> folders, lists;
  for (const fs::path& folder : folders_) {
    folders.push_back(folder.string());
    lists.push_back((folder / "cgroup.procs").string());
  }
  remover_ = ::fork();
  if (remover_ == 0) be_remover(judge.get(), folders, lists);
  if (remover_ < 0) fail_by_errno("fork");
}

void Cgroup::remove() {
  end_processes();
  launcher_.reset();
  for (const fs::path& folder : folders_) remove_folder(folder);
  if (remover_ <= 0) return;
  ::kill(remover_, SIGKILL);
  while (::waitpid(remover_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Cgroup::limit(const CgroupLimits& limits) {
  if (limits == limits_) return;
  const fs::path& memory = folders_.front();
  if (version_ == 2) {
    write_limit(memory / "memory.max", number(limits.memory_bytes, "max"));
    if (const fs::path swap = memory / "memory.swap.max"; fs::exists(swap))
      write_limit(swap, limits.memory_bytes == 0 ? "max" : "0");
  } else {
    // The limit of memory and swap together is never the smaller one.
    const fs::path both = memory / "memory.memsw.limit_in_bytes";
    const bool has_both = fs::exists(both);
    const std::string value = number(limits.memory_bytes, "-1");
    if (has_both) write_limit(both, "-1");
    write_limit(memory / "memory.limit_in_bytes", value);
    if (has_both) write_limit(both, value);
  }
  write_limit(folders_.back() / "pids.max", number(limits.tasks, "max"));
  limits_ = limits;
}

pid_t Cgroup::fork(const std::function<void()>& child) {
  if (launcher_ != nullptr) return launcher_->fork(child);
  pid_t pid = clone_into(folders_.front());
  const bool is_moved = pid < 0 && errno == ENOSYS;
  if (is_moved) pid = ::fork();
  if (pid != 0) return pid;
  if (is_moved && !write_text((folders_.front() / "cgroup.procs").c_str(), "0")) ::_exit(127);
  child();
  ::_exit(127);
}

std::uint64_t Cgroup::memory_kills() const {
  const char* const name = version_ == 2 ? "memory.events" : "memory.oom_control";
  const std::string text = read_file(folders_.front() / name);
  for (std::string_view line : split(text, '\n')) {
    constexpr std::string_view key = "oom_kill ";
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    std::uint64_t count = 0;
    std::from_chars(line.data(), line.data() + line.size(), count);
    return count;
  }
  return 0;
}

void Cgroup::end_processes() const {
  for (const fs::path& folder : folders_) {
    const std::string list = folder / "cgroup.procs";
    for (int i = 0; i < most_tries && kill_listed(list.c_str(), owner_); ++i) pause_a_moment();
  }
}

namespace {

struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Cgroup>> idle;
};

Pool& pool() {
  static Pool one;
  return one;
}

struct Found {
  std::optional<CgroupPlace> place;
  std::string why_not;
};

Found find_place() {
  const auto text = [](const char* path) { return read_file_if_there(path).value_or(""); };
  Found found;
  found.place =
      usable_place(cgroup_places(text("/proc/self/cgroup"), text("/proc/self/mountinfo")));
  if (!found.place) {
    found.why_not = "no cgroup with memory and pids that this user may divide";
    return found;
  }
  try {
    remove_abandoned_cgroups(*found.place);
    auto first = std::make_unique<Cgroup>(*found.place);
    first->limit({std::uint64_t{1} << 30, 64});
    const pid_t pid = first->fork([] { ::_exit(0); });
    int status = 1;
    if (pid < 0) fail_by_errno("a process in a cgroup");
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) throw std::system_error(EPERM, std::generic_category(), "joining a cgroup");
    pool().idle.push_back(std::move(first));
  } catch (const std::exception& error) {
    found = {std::nullopt, error.what()};
  }
  return found;
}

const Found& found_here() {
  static_cast<void>(pool());  // made first, destroyed last
  static const Found found = find_place();
  return found;
}

}  // namespace

const CgroupPlace* cgroups_here() {
  const Found& found = found_here();
  return found.place ? &*found.place : nullptr;
}

const std::string& why_no_cgroups() { return found_here().why_not; }

std::shared_ptr<Cgroup> take_cgroup(const CgroupLimits& limits) {
  const CgroupPlace* const place = cgroups_here();
  if (place == nullptr) return nullptr;
  std::unique_ptr<Cgroup> group;
  {
    const std::lock_guard lock(pool().mutex);
    if (!pool().idle.empty()) {
      group = std::move(pool().idle.back());
      pool().idle.pop_back();
    }
  }
  if (group == nullptr) group = std::make_unique<Cgroup>(*place);
  group->limit(limits);
  return {group.release(), [](Cgroup* used) {
            used->end_processes();
            const std::lock_guard lock(pool().mutex);
            pool().idle.emplace_back(used);
          }};
}

void remove_abandoned_cgroups(const CgroupPlace& place) {
  for (const fs::path& parent : place.folders) {
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path());
    }
    for (const fs::path& folder : found) {
      const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) continue;
      // Its remover ends its processes, if that still lives; a group with processes is not removed.
      ::rmdir(folder.c_str());
    }
  }
}

}  // namespace kbench
