// The threads of a block: which one runs next, what running one is, and how they wait for each
// other.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// Where no thread is ready: gives those that wait in __activemask() the lanes that came to the same
// place. Whether there were any.
bool release_active_masks(Block& block);
// A thread has ended: barriers and collectives may be complete without it.
void complete_barriers(Block& block);
void complete_collectives(Block& block, unsigned warp);
void release_grid(Block& block);  // whose threads wait for all blocks, which have come

enum class Outcome { finished, stalled };

// A thread of the process that runs blocks. Made before its first block, on the thread itself.
struct Worker {
  Now now_here;
  Context main;
  std::vector<Stack> free_stacks;
  Stack used{};  // of the thread of the GPU that runs

  explicit Worker(const Launch& launch);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Goes on with a block until it has ended, or all of its threads wait for other blocks.
  Outcome go_on(Block& block);
};

// Makes the block ready to run from its beginning.
void begin_block(Block& block, const Launch& launch, std::uint64_t number);
void end_thread(Block& block, Thread& thread);  // barrier.cpp: who waited for it may go on
// What hinders all threads of a block, as a fault.
[[noreturn]] void fail_deadlock(Block& block);

}  // namespace kbench_emulation
