// Shared memory of a block, and copies to it that have arrived only when they were waited for:
// cp.async.
#pragma once

#include <memory>
#include <vector>

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// Takes a block with its arena, and gives it back for the next launch.
std::unique_ptr<Block> take_block();
void give_back_block(std::unique_ptr<Block> block);
// Begins with nothing of it written; the dynamic array is there.
void begin_shared_memory(Block& block);

// Copies that a thread has begun, and the group that each is in.
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
