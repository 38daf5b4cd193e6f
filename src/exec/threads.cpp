#include "exec/threads.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kbench {
namespace {

namespace fs = std::filesystem;

fs::path threads_of(pid_t process) { return fs::path("/proc") / std::to_string(process) / "task"; }

// The letter after the name in brackets: proc(5).
bool runs(const fs::path& thread) {
  std::ifstream file(thread / "stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 3, ") R") == 0;
}

Fd open_to_read(const fs::path& path) { return Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }

// "" where there is nothing any more.
std::string read_again(const Fd& file) {
  std::array<char, 128> text{};
  const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// The first number of proc(5)'s schedstat, nanoseconds.
std::uint64_t time_in(const std::string& use) { return std::strtoull(use.c_str(), nullptr, 10); }

// What all threads used, also those that have ended; nanoseconds. 0 when the process is gone.
std::uint64_t process_time(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(used.tv_nsec);
}

// A folder has two links, and one more for each thread in it.
std::uint64_t links_of(const Fd& folder) {
  struct stat status {};
  return ::fstat(folder.get(), &status) == 0 ? status.st_nlink : 0;
}

}  // namespace

bool has_running_thread(pid_t process) {
  const std::string first = std::to_string(process);
  std::error_code gone;
  fs::directory_iterator thread(threads_of(process), gone), end;
  for (; !gone && thread != end; thread.increment(gone)) {
    if (thread->path().filename() != first && runs(thread->path())) return true;
  }
  return false;
}

Rest::Rest(pid_t process) : process_(process), folder_(open_to_read(threads_of(process))) {
  const std::string first = std::to_string(process);
  std::error_code gone;
  fs::directory_iterator thread(threads_of(process), gone), end;
  for (; !gone && thread != end; thread.increment(gone)) {
    is_whole_ = is_whole_ && !runs(thread->path());
    Thread one{open_to_read(thread->path() / "schedstat"), {}};
    one.use = read_again(one.file);
    if (thread->path().filename() == first)
      first_ = std::move(one);
    else
      others_.push_back(std::move(one));
  }
  links_ = links_of(folder_);
  process_ns_ = process_time(process);
  first_ns_ = first_.use.empty() ? process_ns_ : time_in(first_.use);
}

bool Rest::holds(Threads which) const {
  if (links_of(folder_) != links_) return false;
  for (const Thread& thread : others_) {
    if (read_again(thread.file) != thread.use) return false;
  }
  if (which == Threads::all)
    return read_again(first_.file) == first_.use && process_time(process_) == process_ns_;
  return first_.use.empty() || have_others_rested();
}

// The kernel's account of a thread that runs is late, but equally late wherever one asks, until it
// is brought up to date: then one has to ask again.
bool Rest::have_others_rested() const {
  constexpr int most_tries = 8;
  for (int i = 0; i < most_tries; ++i) {
    const std::uint64_t first = time_in(read_again(first_.file));
    if (process_time(process_) - first == process_ns_ - first_ns_) return true;
  }
  return false;
}

bool was_single_threaded(pid_t process) {
  const std::string use =
      read_again(open_to_read(threads_of(process) / std::to_string(process) / "schedstat"));
  const std::uint64_t whole = process_time(process);
  constexpr std::uint64_t noise = 100'000;  // no thread starts and works in less
  return whole > 0 && whole <= time_in(use) + noise;
}

}  // namespace kbench
