// How the judge waits for a worker, and wakes it: by nothing that a candidate could stop it at.
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/errno_failure.hpp"
#include "exec/candidate_state.hpp"
#include "exec/disk_use.hpp"

namespace kbench {
namespace {

// How often the judge looks for what no event tells: the disk, and an answer whose event a
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

}  // namespace kbench
