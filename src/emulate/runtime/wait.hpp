// How threads of a block wait for each other.
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

}  // namespace kbench_emulation
