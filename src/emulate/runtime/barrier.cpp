// Barriers of a block.
#include <cstring>

#include "emulate/runtime/access_check.hpp"
#include "emulate/runtime/launch.hpp"
#include "emulate/runtime/order.hpp"
#include "emulate/runtime/schedule.hpp"

namespace kbench_emulation {
namespace {

int result_of(const Barrier& barrier, Vote vote) {
  switch (vote) {
    case Vote::count:
      return static_cast<int>(barrier.count);
    case Vote::all:
      return barrier.all;
    case Vote::any:
      return barrier.any;
    case Vote::none:
      break;
  }
  return 0;
}

// Lets all that wait go on: the last has come.
void open(Block& block, Barrier& barrier, bool is_whole) {
  const bool is_left = barrier.is_left;
  const Knowledge brought = barrier.brought;
  std::uint32_t warps = 0;
  for (unsigned i = 0; i < block.warp_count; ++i) {
    if (barrier.waiting[i] != 0) warps |= 1u << i;
    for (std::uint32_t lanes = barrier.waiting[i]; lanes != 0; lanes &= lanes - 1) {
      Thread& thread = block.threads[i * warp_lanes + static_cast<unsigned>(__builtin_ctz(lanes))];
      thread.result = result_of(barrier, static_cast<Vote>(thread.result));
      make_ready(block, thread);
    }
  }
  barrier = Barrier();
  if (is_whole && !is_left)
    know_block(block);
  else
    know_warps(block, warps, brought);
}

using Lanes = std::uint32_t[most_warps];

void bring(Barrier& barrier, Lanes& lanes, bool value) {
  const unsigned number = now->thread->number;
  ++barrier.arrived;
  lanes[number / warp_lanes] |= 1u << number % warp_lanes;
  barrier.count += value;
  barrier.all = barrier.all && value;
  barrier.any = barrier.any || value;
}

bool is_same(const Place& a, const Place& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

int wait_at(Block& block, Barrier& barrier, Vote vote, bool is_complete, bool is_whole) {
  Thread& thread = *now->thread;
  thread.result = static_cast<int>(vote);
  thread.wait = Wait::barrier;
  if (is_complete) {
    settle(*now);
    open(block, barrier, is_whole);
  } else {
    suspend();
  }
  return thread.result;
}

Barrier& barrier_of(Block& block, unsigned id, unsigned count, Place place) {
  if (id >= most_barriers)
    fault("BAD_BARRIER", {place, nullptr}, "barrier %u, of which there are %u", id, most_barriers);
  if (count % warp_lanes != 0 || count > block.warp_count * warp_lanes)
    fault("BAD_BARRIER", {place, nullptr}, "a barrier of %u threads in a block of %u", count,
          block.launch->threads);
  return block.barriers[id];
}

// Threads count by warps: an incomplete one counts as a whole one.
bool is_complete(const Block& block, const Barrier& barrier, unsigned count) {
  if (count == 0) return barrier.arrived == block.live;
  unsigned arrived = barrier.arrived;
  const unsigned last = block.launch->threads % warp_lanes;
  const unsigned last_warp = block.warp_count - 1;
  if (last != 0 && (barrier.waiting[last_warp] | barrier.gone_on[last_warp]) != 0)
    arrived += warp_lanes - last;
  return arrived >= count;
}

}  // namespace

int block_barrier(Vote vote, bool value, Place place) {
  if (now == nullptr) not_emulated("__syncthreads() on the host", place);
  Block& block = *now->block;
  Barrier& barrier = block.barriers[0];
  if (barrier.arrived == 0) barrier.place = place;
  if (!barrier.is_left && !is_same(barrier.place, place))
    fault("DIVERGENT_BARRIER", {place, nullptr},
          "threads of a block at different barriers: others are at that of line %d",
          barrier.place.line);
  now->thread->place = place;
  bring(barrier, barrier.waiting, value);
  return wait_at(block, barrier, vote, barrier.arrived == block.live, true);
}

static int wait_with(Barrier& barrier, unsigned count, Vote vote, bool value, Place place) {
  Block& block = *now->block;
  if (barrier.arrived == 0) barrier.place = place;
  now->thread->place = place;
  bring(barrier, barrier.waiting, value);
  const bool is_whole = count == 0 || count >= block.launch->threads;
  return wait_at(block, barrier, vote, is_complete(block, barrier, count), is_whole);
}

int named_barrier(unsigned id, unsigned count, Vote vote, bool value, Place place) {
  return wait_with(barrier_of(*now->block, id, count, place), count, vote, value, place);
}

int tile_barrier(unsigned number, unsigned count, Vote vote, bool value, Place place) {
  if (now == nullptr) not_emulated("a tile of a block on the host", place);
  const unsigned all = now->block->launch->threads, left = all - number * count;
  Barrier& barrier = now->block->barriers[most_barriers + number];
  return wait_with(barrier, left < count ? (left + 31) / 32 * 32 : count, vote, value, place);
}

// Work of a thread before is known to those that wait, but it does not wait itself.
void arrive_at_barrier(unsigned id, unsigned count, Place place) {
  Block& block = *now->block;
  Barrier& barrier = barrier_of(block, id, count, place);
  if (barrier.arrived == 0) barrier.place = place;
  bring(barrier, barrier.gone_on, false);
  barrier.is_left = true;
  settle(*now);
  add_own_knowledge(block, now->thread->number / warp_lanes, barrier.brought);
  tick(block);
  if (is_complete(block, barrier, count)) open(block, barrier, false);
}

void complete_barriers(Block& block) {
  Barrier& barrier = block.barriers[0];
  if (barrier.arrived != 0 && barrier.arrived == block.live) open(block, barrier, true);
}

void grid_barrier(Place place) {
  Block& block = *now->block;
  if (!block.launch->config.cooperative)
    fault("BAD_BARRIER", {place, nullptr},
          "a barrier of the whole grid in a launch that is not cooperative");
  now->thread->place = place;
  now->thread->wait = Wait::grid;
  ++block.at_grid;
  suspend();
}

void release_grid(Block& block) {
  block.at_grid = 0;
  begin_run(block);
  for (unsigned i = 0; i < block.launch->threads; ++i)
    if (block.threads[i].wait == Wait::grid) make_ready(block, block.threads[i]);
}

void end_thread(Block& block, Thread& thread) {
  const unsigned warp = thread.number / warp_lanes;
  thread.has_ended = true;
  block.warps[warp].live &= ~(1u << thread.number % warp_lanes);
  --block.live;
  block.idle = 0;
  if (block.live == 0) return;
  if (block.barriers[0].arrived != 0) complete_barriers(block);
  if (block.warps[warp].waiting != 0) complete_collectives(block, warp);
}

}  // namespace kbench_emulation
