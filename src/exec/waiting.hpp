// Limits of the judge's wait for a command: each call has one, and all together have one. The watch
// is told the time, so that it is tested without a clock.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace kbench {

class CallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Limits are seconds. The worker's count of calls, of which `calls` are over, shows that there is
  // progress. A candidate can forge it: that is what the limit of the whole is for.
  CallWatch(double call_limit, double whole_limit, std::uint64_t calls, Clock::time_point now);

  // Returns nothing when there is time left; else the limit that is over, seconds.
  std::optional<double> look(std::uint64_t calls, Clock::time_point now);
  // Time of the next look. A call that the worker begins between two looks has its limit from the
  // second one on, hence a 16th of it more at most.
  Clock::time_point next_look() const { return next_look_; }

 private:
  Clock::duration call_limit_;
  Clock::duration whole_limit_;
  Clock::time_point begin_;
  std::uint64_t calls_;
  Clock::time_point call_begin_;
  Clock::time_point next_look_;
};

// The threads of another process.

// Tells whether a thread other than the first one runs or wants to. False where nobody can tell.
bool has_running_thread(pid_t process);

// Threads that count.
enum class Threads : std::uint8_t { all, but_first };

// State of a process's threads at a time when they slept. The class tells exactly whether one has
// run since then, also while another one runs, in microseconds.
class Rest {
 public:
  Rest() = default;
  explicit Rest(pid_t process);

  // Tells whether none of them ran, or wanted to.
  bool is_whole() const { return is_whole_; }
  // Tells whether none of them has run since then, and no other thread is there or was.
  bool holds(Threads which) const;
  // CPU time that the first thread had used, nanoseconds.
  std::uint64_t first_ns() const { return first_ns_; }

 private:
  // Thread with its schedstat, as in proc(5): CPU time, and how often it has been given a core.
  struct Thread {
    Fd file;
    std::string use;
  };
  bool have_others_rested() const;

  pid_t process_ = 0;
  Fd folder_;  // folder of the threads in /proc
  std::uint64_t links_ = 0;
  Thread first_;
  std::vector<Thread> others_;
  std::uint64_t first_ns_ = 0;
  std::uint64_t process_ns_ = 0;  // CPU time of all threads, ended ones included
  bool is_whole_ = true;
};

// Tells whether all CPU time that the process has used was its first thread's. False where nobody
// can tell.
bool was_single_threaded(pid_t process);

// Tells whether `folder` takes more than `most` bytes of disk, each file and folder in it counted
// as 4 KiB at least, or cannot be looked at: folders that are closed, or nest more than 64 deep.
// Files that were removed there and are open or mapped in `process` count, too: one that is mapped
// alone, whose size nobody tells, as `largest_file`.
bool takes_more(const std::filesystem::path& folder, pid_t process, std::uint64_t largest_file,
                std::uint64_t most);

}  // namespace kbench
