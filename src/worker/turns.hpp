// The worker's waiting for the judge: for a command, and then for its turns.
#pragma once

#include <cstdint>
#include <functional>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

inline std::uint64_t read_word(const std::uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
inline void set_word(std::uint64_t& word, std::uint64_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

// Sleeps until the judge has rung its bell since the last time.
void wait_for_judge(const Control& control);
// Wakes the judge, unless it polls, as it does where the worker spins.
void wake_judge(const Control& control);

// Actions of the worker, by turn; false where one failed, which is its last turn then.
struct Turns {
  std::function<bool()> copy;
  std::function<bool()> call;
  std::function<bool()> epochs;
  std::function<bool()> google_benchmark = {};
  std::function<bool()> fetch = {};  // last turn, after that of the call; may be empty
};

// Says that turns can come, and takes them until the last one. Returns false where one failed.
bool take_turns(Control& control, const Turns& turns);

}  // namespace kbench::worker
