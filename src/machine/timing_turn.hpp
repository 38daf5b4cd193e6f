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

 private:
  Fd socket_;
};

}  // namespace kbench
