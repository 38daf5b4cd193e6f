// How the worker waits for the judge: for a command, and inside an audited call for its turn.
#pragma once

#include <cstdint>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

inline std::uint64_t read_word(const std::uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
inline void set_word(std::uint64_t& word, std::uint64_t value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

// Sleeps until the judge has something to say. False when it is gone.
bool wait_for_judge();
void wake_judge();

// Whether an audited call has a turn of its own for the inputs that may be written to.
bool has_scratch(const Control& control);

// Says that the next turn can come at once, and gives what `go` holds until then.
std::uint64_t arm(Control& control);
// Waits until `go` holds something else than `last`, and gives that.
std::uint64_t wait_for_go(Control& control, std::uint64_t last);
void say_done(Control& control, std::uint64_t turn);

}  // namespace kbench::worker
