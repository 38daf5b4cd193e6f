// Which thread of a block runs next, and what running one is.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

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
