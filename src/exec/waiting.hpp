// How long the judge waits for a command: each call has its limit, and all together have one. Told
// what the time is, so that it is tested without a clock.
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

  // In seconds. The worker's count of calls, of which `calls` are over, shows that there is
  // progress. A candidate can forge it: that is what the limit of the whole is for.
  CallWatch(double call_limit, double whole_limit, std::uint64_t calls, Clock::time_point now);

  // Nothing when there is time left; else the limit that is over, seconds.
  std::optional<double> look(std::uint64_t calls, Clock::time_point now);
  // When to look again. A call that the worker begins between two looks has its limit from the
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

// Whether a thread other than the first one runs or wants to. False where nobody can tell.
bool has_running_thread(pid_t process);

// Which of them count.
enum class Threads : std::uint8_t { all, but_first };

// What the threads of a process had done at a time when they slept. Whether one has run since then
// is exact, also while another one runs, and looking takes microseconds.
class Rest {
 public:
  Rest() = default;
  explicit Rest(pid_t process);

  // None of them ran, or wanted to.
  bool is_whole() const { return is_whole_; }
  // None of them has run since then, and no other thread is there or was.
  bool holds(Threads which) const;
  // CPU time that the first thread had used, nanoseconds.
  std::uint64_t first_ns() const { return first_ns_; }

 private:
  // By proc(5)'s schedstat: CPU time, and how often it has been given a core.
  struct Thread {
    Fd file;
    std::string use;
  };
  bool have_others_rested() const;

  pid_t process_ = 0;
  Fd folder_;  // of the threads
  std::uint64_t links_ = 0;
  Thread first_;
  std::vector<Thread> others_;
  std::uint64_t first_ns_ = 0;
  std::uint64_t process_ns_ = 0;  // of all threads, also of those that have ended
  bool is_whole_ = true;
};

// Whether all CPU time that the process has used was its first thread's. False where nobody can
// tell.
bool was_single_threaded(pid_t process);

// Whether what is in `folder` takes more than `most` bytes of disk, each file and folder counted
// as 4 KiB at least, or cannot be looked at: folders that are closed, or nest more than 64 deep.
// Files that were removed there and are open or mapped in `process` count, too: one that is mapped
// alone, whose size nobody tells, as `largest_file`.
bool takes_more(const std::filesystem::path& folder, pid_t process, std::uint64_t largest_file,
                std::uint64_t most);

}  // namespace kbench
