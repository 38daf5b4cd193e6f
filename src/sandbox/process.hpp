// Starting and ending processes that kbench does not trust: limits, a clean environment, no
// inherited descriptors but the named ones, no survivors.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "sandbox/cgroup.hpp"
#include "sandbox/file_view.hpp"
#include "sandbox/isolation.hpp"

namespace kbench {

// 0 means no limit. See setrlimit(2).
struct ProcessLimits {
  std::uint64_t memory_bytes = 0;  // RLIMIT_DATA: heap and private writable mappings
  std::uint64_t file_bytes = 0;    // RLIMIT_FSIZE: largest file it can write
  std::uint64_t processes = 0;     // RLIMIT_NPROC: no effect for uid 0
  std::uint64_t open_files = 0;    // RLIMIT_NOFILE
  std::uint64_t cpu_seconds = 0;   // RLIMIT_CPU
};

struct ProcessPlan {
  std::vector<std::string> argv;         // argv[0] is the program's path
  std::vector<std::string> environment;  // all of it, "NAME=value"
  std::filesystem::path directory;       // "" for the current one
  std::vector<int> fds;                  // become descriptors 3, 4, … in the child, in this order
  int output = -1;                       // becomes its stdout and stderr; -1: /dev/null
  ProcessLimits limits;
  std::vector<int> cores = {};   // cores it may run on, from the start; none: its parent's
  bool fixed_addresses = false;  // the kernel does not place memory at random
  bool forbid_fork = false;      // it may start threads, but no processes: fork fails with EAGAIN
  bool forks = false;            // kbench's own trusted code forks all the same: forks.hpp
  bool local_sockets = false;    // allowed at levels A and B where processes may fork
  Isolation isolation = Isolation::limits;
  FileView files = {};                      // files seen at the levels A and B
  std::shared_ptr<Cgroup> group = nullptr;  // group it starts in; nullptr: the parent's
};

struct ExitStatus {
  bool exited = false;  // false: ended by a signal
  int code = 0;         // exit code or signal number
};

// "exited with 0", "ended by SIGSEGV (segmentation fault)"
std::string describe(const ExitStatus& status);

// Reason that a program which ended before it did anything does not start: the last line that it,
// or the loader in its place, printed, without its own name; else its status.
std::string last_words(const std::string& program, const ExitStatus& status,
                       std::string_view printed);

// Processes started for one, all of them children of the one that waits for it.
struct Started {
  pid_t process = -1;
  pid_t init = -1;   // level A: first in its namespace, which ends with it; else its watcher: it
                     // ends the group when the judge ends; -1: none
  pid_t maker = -1;  // has ended by now, unreaped; -1: none
};

// A child in its own process group that dies with its parent; the destructor kills what is left.
class ChildProcess {
 public:
  explicit ChildProcess(const ProcessPlan& plan);  // throws std::system_error when it cannot start
  // Takes a child that another process forked for this one (clone's CLONE_PARENT); `forker` if it
  // shares the box and the group of that one, and needs it.
  explicit ChildProcess(const Started& started, std::shared_ptr<ChildProcess> forker = nullptr);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return started_.process; }
  int pidfd() const { return pidfd_.get(); }  // readable when the child has ended

  // Returns the status, waiting at most `timeout`; nothing when it still runs.
  std::optional<ExitStatus> wait(std::chrono::nanoseconds timeout);
  // SIGKILL to the whole group, then reaps.
  ExitStatus kill();
  // Peak resident size, bytes; known once it has ended.
  std::uint64_t peak_bytes() const { return peak_bytes_; }
  // Tells whether the kernel ended a process of its group for want of memory.
  bool out_of_memory() const { return group_ && group_->memory_kills() > memory_kills_; }

 private:
  Started started_;
  Fd pidfd_;
  std::optional<ExitStatus> status_;
  std::uint64_t peak_bytes_ = 0;
  std::shared_ptr<ChildProcess> forker_;
  std::shared_ptr<Cgroup> group_;
  std::uint64_t memory_kills_ = 0;  // the group's count before

  void watch();
  void reap();
  void end_init();
};

// Thrown where the user wants the judge to end.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

struct RunResult {
  ExitStatus status;
  bool timed_out = false;
  bool out_of_memory = false;  // see ChildProcess
  std::string output;
  std::uint64_t output_bytes = 0;  // bytes of all that was printed
};
// Runs it to the end, and collects stdout and stderr: at most `keep` bytes; the rest is counted.
// Kills the process when `stop` becomes true; throws Interrupted then.
RunResult run_process(ProcessPlan plan, std::chrono::nanoseconds timeout, std::size_t keep,
                      const std::atomic<bool>* stop = nullptr);

}  // namespace kbench
