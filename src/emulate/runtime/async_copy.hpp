// Copies to shared memory that have arrived only when they were waited for: cp.async.
#pragma once

#include <vector>

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// What a thread has begun, and the group that each is in.
struct Copies {
  struct One {
    AsyncCopy copy;
    std::size_t group;
    Place place;
  };
  std::vector<One> open;
  std::size_t closed_groups = 0;
};

void drop_copies(Block& block);

}  // namespace kbench_emulation
