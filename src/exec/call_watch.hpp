// How long the judge waits for a command: each call has its limit, and all together have one. Told
// what the time is, so that it is tested without a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

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

}  // namespace kbench
