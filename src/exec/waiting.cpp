// The judge's ways to wait for a worker and to wake it, none of which a candidate can stop it at.
#include "exec/waiting.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/system.hpp"
#include "exec/candidate_state.hpp"

namespace kbench {
namespace {

// Period of the judge's looks for what no event tells: the disk, and an answer whose event a
// candidate has taken.
constexpr auto look_period = std::chrono::milliseconds(100);

}  // namespace

bool CandidateProcess::State::fills_disk(Clock::time_point now) {
  if (now < next_disk_look) return false;
  next_disk_look = now + look_period;
  return fills_disk();
}

bool CandidateProcess::State::fills_disk() const {
  return plan.limits.isolation == Isolation::landlock &&
         takes_more(scratch.path(), child->pid(), plan.limits.file_bytes, worker::scratch_bytes);
}

CallWatch CandidateProcess::State::watch(double call_limit, double whole_limit) const {
  return {call_limit, whole_limit, control().calls, Clock::now()};
}

CandidateProcess::State::Sight CandidateProcess::State::look(CallWatch& watch,
                                                             std::optional<double>& limit,
                                                             int milliseconds) {
  pollfd entries[] = {
      {done.get(), POLLIN, 0}, {log_end.get(), POLLIN, 0}, {child->pidfd(), POLLIN, 0}};
  if (::poll(entries, 3, milliseconds) < 0 && errno != EINTR) fail_by_errno("poll");
  if (entries[1].revents != 0) read_log(entries[1].revents);
  const auto now = Clock::now();
  if (printed > plan.limits.output_bytes || fills_disk(now)) return Sight::gone;
  if (entries[0].revents & POLLIN) {
    take_events();
  } else if (entries[2].revents != 0) {
    return Sight::gone;
  }
  limit = watch.look(__atomic_load_n(&control().calls, __ATOMIC_RELAXED), now);
  if (limit) return Sight::gone;
  return entries[0].revents & POLLIN ? Sight::woken : Sight::nothing;
}

// The candidate has the descriptor, too: it may have taken the events, and may have made it block.
void CandidateProcess::State::take_events() const {
  std::uint64_t count = 0;
  const iovec into{&count, sizeof count};
  if (::preadv2(done.get(), &into, 1, -1, RWF_NOWAIT) < 0 && errno != EAGAIN && errno != EINTR)
    fail_by_errno("eventfd");
}

std::optional<CandidateFailure> CandidateProcess::State::wait_for(const std::uint64_t& word,
                                                                  std::uint64_t value,
                                                                  CallWatch& watch) {
  std::optional<double> limit;
  while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) != value) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(watch.next_look() - Clock::now()).count();
    const auto longest = std::chrono::milliseconds(look_period).count();
    const auto milliseconds = static_cast<int>(std::clamp<std::int64_t>(left, 0, longest));
    if (look(watch, limit, milliseconds) == Sight::gone) return end(limit);
  }
  return std::nullopt;
}

void CandidateProcess::State::wake() {
  std::uint32_t& bell = control().bell;
  __atomic_fetch_add(&bell, 1, __ATOMIC_RELEASE);
  ::syscall(SYS_futex, &bell, FUTEX_WAKE, INT_MAX);
}

namespace {

using Seconds = std::chrono::duration<double>;

CallWatch::Clock::duration duration(double seconds) {
  constexpr double most = 1e8;  // three years: a clock's range is not much longer than the longest
  return std::chrono::duration_cast<CallWatch::Clock::duration>(Seconds(std::min(seconds, most)));
}

}  // namespace

CallWatch::CallWatch(double call_limit, double whole_limit, std::uint64_t calls,
                     Clock::time_point now)
    : call_limit_(duration(call_limit)),
      whole_limit_(duration(whole_limit)),
      begin_(now),
      calls_(calls),
      call_begin_(now) {
  look(calls, now);
}

std::optional<double> CallWatch::look(std::uint64_t calls, Clock::time_point now) {
  if (calls != calls_) call_begin_ = now;
  calls_ = calls;
  const auto call_end = call_begin_ + call_limit_;
  const auto end = begin_ + whole_limit_;
  next_look_ = std::min({call_end, end, now + call_limit_ / 16});
  if (now >= call_end) return Seconds(call_limit_).count();
  if (now >= end) return Seconds(whole_limit_).count();
  return std::nullopt;
}

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

// CPU time of all threads, also of those that have ended; nanoseconds. 0 when the process is gone.
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
