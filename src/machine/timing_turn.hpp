// Two programs that time on one machine disturb each other: kbench waits until no other kbench
// does.
#pragma once

#include <chrono>

#include "base/file.hpp"

namespace kbench {

// Held while calls are timed. A name in Linux's abstract name space is the lock (unix(7)): it
// leaves no file behind, and whoever has it loses it with its end.
class TimingTurn {
 public:
  // Waits until the turn is ours, for `patience` at most.
  explicit TimingTurn(std::chrono::milliseconds patience = std::chrono::seconds(20));

  // False where another kbench may be timing: it had the turn for longer than our patience.
  bool is_alone() const { return is_alone_; }

 private:
  Fd socket_;
  bool is_alone_ = true;
};

}  // namespace kbench
