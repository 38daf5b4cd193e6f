#include "exec/threads.hpp"

#include <time.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace kbench {
namespace {

// The letter after the name in brackets: proc(5).
char state_of(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() ? text[name_end + 2] : '?';
}

// The first number of proc(5)'s schedstat, nanoseconds; 0 where the kernel does not count.
std::uint64_t time_of(const std::filesystem::path& thread) {
  std::ifstream file(thread / "schedstat");
  std::uint64_t nanoseconds = 0;
  file >> nanoseconds;
  return nanoseconds;
}

}  // namespace

bool was_single_threaded(pid_t process) {
  clockid_t clock{};
  timespec all{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &all) != 0)
    return false;
  const std::uint64_t first =
      use_of(process, Threads::all).nanoseconds - use_of(process, Threads::but_first).nanoseconds;
  const std::uint64_t whole = static_cast<std::uint64_t>(all.tv_sec) * 1'000'000'000U +
                              static_cast<std::uint64_t>(all.tv_nsec);
  constexpr std::uint64_t noise = 100'000;  // no thread starts and works in less
  return whole > 0 && whole <= first + noise;
}

ThreadUse use_of(pid_t process, Threads which) {
  const std::string first = std::to_string(process);
  ThreadUse use;
  std::error_code gone;
  std::filesystem::directory_iterator thread("/proc/" + first + "/task", gone), end;
  for (; !gone && thread != end; thread.increment(gone)) {
    if (which == Threads::but_first && thread->path().filename() == first) continue;
    use.runs |= state_of(thread->path()) == 'R';
    use.nanoseconds += time_of(thread->path());
  }
  return use;
}

bool has_running_thread(pid_t process) { return use_of(process, Threads::but_first).runs; }

}  // namespace kbench
