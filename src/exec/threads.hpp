// The threads of another process.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace kbench {

// Whether a thread other than the first one runs or wants to. False where nobody can tell.
bool has_running_thread(pid_t process);

// Which of them count.
enum class Threads : std::uint8_t { all, but_first };

// Whether one of them runs or wants to, and the CPU time they have used, nanoseconds: exact where
// none runs. The time of threads that have ended is not in it.
struct ThreadUse {
  bool runs = false;
  std::uint64_t nanoseconds = 0;
  friend bool operator==(const ThreadUse&, const ThreadUse&) = default;
};
ThreadUse use_of(pid_t process, Threads which);

// Whether all CPU time that the process has used was its first thread's. False where nobody can
// tell.
bool was_single_threaded(pid_t process);

}  // namespace kbench
