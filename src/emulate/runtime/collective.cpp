// Collectives of a warp: shuffles, votes, matrix instructions.
#include "emulate/runtime/access.hpp"
#include "emulate/runtime/matrix.hpp"
#include "emulate/runtime/order.hpp"
#include "emulate/runtime/schedule.hpp"

namespace kbench_emulation {
namespace {

Thread& lane_of(Block& block, unsigned warp, unsigned lane) {
  return block.threads[warp * warp_lanes + lane];
}

// The lanes that wait in the same collective as `thread` does.
std::uint32_t partners(Block& block, unsigned warp, const Thread& thread) {
  std::uint32_t found = 0;
  for (std::uint32_t lanes = block.warps[warp].waiting; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    const Thread& other = lane_of(block, warp, lane);
    if (other.operation == thread.operation && other.mask == thread.mask) found |= 1u << lane;
  }
  return found;
}

void perform(Block& block, unsigned number, const Thread& thread, std::uint32_t present) {
  Exchange exchange;
  exchange.mask = thread.mask;
  exchange.present = present;
  exchange.place = thread.place;
  for (std::uint32_t lanes = present; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    exchange.lanes[lane] = lane_of(block, number, lane).lane;
  }
  const Operation operation = thread.operation;
  know_lanes(block, number, present);
  if (operation != nullptr) {
    operation(exchange);
    know_lanes(block, number, present);
  }
  block.warps[number].waiting &= ~present;
  for (std::uint32_t lanes = present; lanes != 0; lanes &= lanes - 1)
    make_ready(block, lane_of(block, number, static_cast<unsigned>(__builtin_ctz(lanes))));
}

void check_mask(const Block& block, const Thread& thread, std::uint32_t mask, Place place) {
  const unsigned lane = thread.number % warp_lanes;
  if ((mask >> lane & 1) == 0)
    fault("BAD_SYNC_MASK", {place, nullptr}, "the mask 0x%08x lacks lane %u, which calls it", mask,
          lane);
  static_cast<void>(block);
}

}  // namespace

int lane_index() { return now == nullptr ? 0 : static_cast<int>(now->thread->number % warp_lanes); }
int warp_index() { return now == nullptr ? 0 : static_cast<int>(now->thread->number / warp_lanes); }

void collective(Operation operation, uint32_t mask, Lane lane, Place place) {
  if (now == nullptr) not_emulated("a collective of a warp on the host", place);
  Block& block = *now->block;
  Thread& thread = *now->thread;
  const unsigned number = thread.number / warp_lanes;
  Warp& warp = block.warps[number];
  check_mask(block, thread, mask, place);
  thread.operation = operation;
  thread.mask = mask;
  thread.lane = lane;
  thread.place = place;
  thread.wait = Wait::collective;
  warp.waiting |= 1u << thread.number % warp_lanes;
  const std::uint32_t wanted = mask & warp.live;
  // Mostly the lanes that wait are not yet enough, whatever they wait for.
  if ((warp.waiting & wanted) != wanted || (partners(block, number, thread) & wanted) != wanted)
    return suspend();
  settle(*now);
  perform(block, number, thread, wanted);
}

void complete_collectives(Block& block, unsigned number) {
  Warp& warp = block.warps[number];
  for (std::uint32_t lanes = warp.waiting; lanes != 0; lanes &= lanes - 1) {
    const Thread& thread = lane_of(block, number, static_cast<unsigned>(__builtin_ctz(lanes)));
    const std::uint32_t wanted = thread.mask & warp.live;
    if ((partners(block, number, thread) & wanted) != wanted) continue;
    perform(block, number, thread, wanted);
    lanes = warp.waiting;
    if (lanes == 0) return;
  }
}

uint32_t active_mask(Place place) {
  if (now == nullptr) return 1;
  Block& block = *now->block;
  Thread& thread = *now->thread;
  thread.place = place;
  thread.wait = Wait::active_mask;
  block.warps[thread.number / warp_lanes].at_active_mask |= 1u << thread.number % warp_lanes;
  suspend();
  return thread.mask;
}

bool release_active_masks(Block& block) {
  bool found = false;
  for (unsigned i = 0; i < block.warp_count; ++i) {
    std::uint32_t& waiting = block.warps[i].at_active_mask;
    if (waiting == 0) continue;
    const Place first = lane_of(block, i, static_cast<unsigned>(__builtin_ctz(waiting))).place;
    std::uint32_t group = 0;
    for (std::uint32_t lanes = waiting; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
      const Place& place = lane_of(block, i, lane).place;
      if (place.line == first.line && place.file == first.file) group |= 1u << lane;
    }
    waiting &= ~group;
    for (std::uint32_t lanes = group; lanes != 0; lanes &= lanes - 1) {
      Thread& thread = lane_of(block, i, static_cast<unsigned>(__builtin_ctz(lanes)));
      thread.mask = group;
      make_ready(block, thread);
    }
    found = true;
  }
  return found;
}

uint32_t present_lanes() { return now->block->warps[now->thread->number / warp_lanes].live; }

void check_for_lane(unsigned lane, const Piece& piece, Access access, Place place) {
  Now& n = *now;
  Thread* const runs = n.thread;
  const auto act_as = [&n](Thread& thread) {
    n.thread = &thread;
    n.thread_bits = make_record(0, 0, thread.number);
    n.stamp = n.moment | n.thread_bits;
  };
  act_as(lane_of(*n.block, runs->number / warp_lanes, lane));
  check_access(piece.begin, piece.bytes, piece.alignment, access, place);
  act_as(*runs);
}

void fail_deadlock(Block& block) {
  const Thread* at_barrier = nullptr;
  const Thread* in_collective = nullptr;
  unsigned barriers = 0, collectives = 0;
  for (unsigned i = 0; i < block.launch->threads; ++i) {
    const Thread& thread = block.threads[i];
    if (thread.has_ended) continue;
    if (thread.wait == Wait::barrier) {
      ++barriers;
      at_barrier = &thread;
    } else if (thread.wait == Wait::collective) {
      ++collectives;
      in_collective = &thread;
    }
  }
  if (in_collective != nullptr) {
    now->thread = const_cast<Thread*>(in_collective);
    const Warp& warp = block.warps[in_collective->number / warp_lanes];
    fault(
        "BAD_SYNC_MASK", {in_collective->place, nullptr},
        "lanes 0x%08x of the warp are waited for, and only 0x%08x come: %u threads wait so, %u at "
        "a barrier",
        in_collective->mask & warp.live,
        partners(block, in_collective->number / warp_lanes, *in_collective), collectives, barriers);
  }
  now->thread = const_cast<Thread*>(at_barrier);
  if (barriers == block.live)
    fault("DEADLOCK", {at_barrier->place, nullptr},
          "all %u threads that have not ended wait at barriers, which wait for more threads or for "
          "others of them",
          barriers);
  fault("DEADLOCK", {at_barrier->place, nullptr},
        "%u threads wait at a barrier that %u others never reach", barriers, block.live - barriers);
}

}  // namespace kbench_emulation
