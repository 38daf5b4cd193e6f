// Choice of a block's next thread, its run, and the threads' waiting for each other.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// Gives the threads that wait in __activemask(), where no other is ready, the lanes that came to
// the same place. Returns whether there were any.
bool release_active_masks(Block& block);
// Completes barriers and collectives that only a thread which has ended was missing from.
void complete_barriers(Block& block);
void complete_collectives(Block& block, unsigned warp);
void release_grid(Block& block);  // its threads wait for all blocks, which have come

enum class Outcome { finished, stalled };

// Thread of the process that runs blocks. Made before its first block, on the thread itself.
struct Worker {
  Now now_here;
  Context main;
  std::vector<Stack> free_stacks;
  Stack used{};  // stack of the running thread of the GPU

  explicit Worker(const Launch& launch);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Continues a block until it has ended, or all of its threads wait for other blocks.
  Outcome go_on(Block& block);
};

// Makes the block ready to run from its beginning.
void begin_block(Block& block, const Launch& launch, std::uint64_t number);
// Tells whether all of its threads wait for others, or for memory that has not changed since.
bool waits_in_vain(const Block& block);
void end_thread(Block& block, Thread& thread);  // barrier.cpp: threads that waited for it may go on
// Reports as a fault whatever hinders all threads of a block.
[[noreturn]] void fail_deadlock(Block& block);

}  // namespace kbench_emulation
