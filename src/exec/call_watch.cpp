#include "exec/call_watch.hpp"

#include <algorithm>

namespace kbench {
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

}  // namespace kbench
