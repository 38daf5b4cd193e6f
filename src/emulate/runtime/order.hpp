// Order of events by which threads of a block wait for each other, and of releases by which blocks
// do.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// Tells whether the record comes before everything that the running thread does now.
bool is_ordered(const Now& n, const Region& region, Record record);

// Records that all threads of the block have waited for each other; or these lanes of a warp; or
// the warps whose bits are set.
void know_block(Block& block);
void know_lanes(Block& block, unsigned warp, std::uint32_t mask);
void know_warps(Block& block, std::uint32_t warps, const Knowledge& brought);

// Releases the block's work before a write to a place that others look at if the write is a release
// by itself, else its work up to the last fence, if the running thread has come to one; whoever
// then looks there atomically acquires it. `is_later`: the access comes after this call, and
// whatever will have been released counts.
void release(Now& n, const void* place, bool is_release);
// Records a fence of the running thread.
void note_fence(Now& n);
void acquire(Block& block, const void* place, bool is_later = false);
void forget_releases();

// Adds a warp's knowledge of all warps.
void add_own_knowledge(const Block& block, unsigned warp, Knowledge& to, std::uint32_t up_to = ~0u);
void learn(Block& block, unsigned warp, const Knowledge& from);
// Leaves the knowledge of the running thread's warp at this place in memory, for those who take it.
void leave_knowledge(Block& block, const void* place, std::uint32_t up_to = ~0u);
void take_knowledge(Block& block, const void* place);

}  // namespace kbench_emulation
