// The shared memory of a block.
#pragma once

#include <memory>

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// A block with its arena, and back for the next launch.
std::unique_ptr<Block> take_block();
void give_back_block(std::unique_ptr<Block> block);
// Nothing of it is written; the dynamic array is there.
void begin_shared_memory(Block& block);

}  // namespace kbench_emulation
