// The shared memory of a block.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

void make_arena(Block& block);
void free_arena(Block& block);
// Nothing of it is written; the dynamic array is there.
void begin_shared_memory(Block& block);

}  // namespace kbench_emulation
