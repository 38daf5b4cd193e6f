// Collectives of a warp: shuffles, votes, matrix instructions.
#include "emulate/runtime/collective.hpp"

#include <kbench_emulation_wmma.h>

#include <cstring>

#include "emulate/runtime/access_check.hpp"
#include "emulate/runtime/machine.hpp"
#include "emulate/runtime/order.hpp"
#include "emulate/runtime/schedule.hpp"

namespace kbench_emulation {
namespace {

Thread& lane_of(Block& block, unsigned warp, unsigned lane) {
  return block.threads[warp * warp_lanes + lane];
}

// Returns the lanes that wait in the same collective as `thread` does.
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

}  // namespace

int lane_index() { return now == nullptr ? 0 : static_cast<int>(now->thread->number % warp_lanes); }
int warp_index() { return now == nullptr ? 0 : static_cast<int>(now->thread->number / warp_lanes); }

void collective(Operation operation, uint32_t mask, Lane lane, Place place) {
  if (now == nullptr) not_emulated("a collective of a warp on the host", place);
  Block& block = *now->block;
  Thread& thread = *now->thread;
  const unsigned number = thread.number / warp_lanes, lane_number = thread.number % warp_lanes;
  Warp& warp = block.warps[number];
  if ((mask >> lane_number & 1) == 0)
    fault("BAD_SYNC_MASK", {place, nullptr}, "the mask 0x%08x lacks lane %u, which calls it", mask,
          lane_number);
  thread.operation = operation;
  thread.mask = mask;
  thread.lane = lane;
  thread.place = place;
  thread.wait = Wait::collective;
  warp.waiting |= 1u << lane_number;
  const std::uint32_t wanted = mask & warp.live;
  // Lanes that wait are mostly not yet enough, whatever they wait for.
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

namespace {

// Data of a lane for wmma's loads and stores: its fragment, and the matrix.
struct Tile {
  void* fragment;
  WmmaMatrix matrix;
};

const Tile& tile_of(const Exchange& exchange, unsigned lane) {
  return *static_cast<const Tile*>(exchange.lanes[lane].in);
}

// Element `i` of a lane is number lane + 32 i of the matrix, its rows one after the other.
template <bool is_store>
void move_tile(const Exchange& exchange) {
  const WmmaMatrix& matrix = tile_of(exchange, 0).matrix;
  const unsigned lines = matrix.by_columns ? matrix.columns : matrix.rows;
  const unsigned length = matrix.by_columns ? matrix.rows : matrix.columns;
  char* const memory = static_cast<char*>(matrix.memory);
  const std::size_t pitch = matrix.pitch * matrix.element;
  for (unsigned line = 0; line < lines; ++line)
    check_for_lane(line, {memory + line * pitch, length * matrix.element, matrix.element},
                   is_store ? Access::write : Access::read, exchange.place);
  for (unsigned number = 0; number < matrix.rows * matrix.columns; ++number) {
    const unsigned row = number / matrix.columns, column = number % matrix.columns;
    const unsigned line = matrix.by_columns ? column : row, at = matrix.by_columns ? row : column;
    char* const place = memory + line * pitch + at * matrix.element;
    char* const own =
        static_cast<char*>(tile_of(exchange, number % 32).fragment) + number / 32 * matrix.element;
    std::memcpy(is_store ? place : own, is_store ? own : place, matrix.element);
  }
}

// Refuses a fragment that stands for other memory than a thread's own.
void check_fragment(const void* fragment, unsigned numbers, std::size_t bytes, Place place) {
  check_access(fragment, numbers / 32 * bytes, 1, Access::read, place);
}

void check_matrix(const WmmaMatrix& matrix, Place place) {
  if (matrix.pitch * matrix.element % 16 != 0)
    fault("MISALIGNED", {place, nullptr},
          "a matrix whose lines are %zu bytes apart, which is no multiple of 16",
          matrix.pitch * matrix.element);
  if (reinterpret_cast<std::uintptr_t>(matrix.memory) % 16 != 0)
    fault("MISALIGNED", {place, nullptr}, "a matrix at an address that is no multiple of 16");
}

// Sums of integers need more bits than a float has.
template <typename Sum>
void multiply_tiles(const Exchange& exchange) {
  const auto of = [&](unsigned lane) -> const WmmaProduct& {
    return *static_cast<const WmmaProduct*>(exchange.lanes[lane].in);
  };
  const WmmaProduct& first = of(0);
  const unsigned m = first.m, n = first.n, k = first.k;
  Sum a[32 * 16], b[16 * 32], c[32 * 16];
  const PtxType factor{first.factor.kind, 8 * first.factor.bytes, 1};
  const PtxType result{first.sum.kind, 8 * first.sum.bytes, 1};
  const auto at = [](const void* fragment, unsigned i, PtxType type) {
    return static_cast<Sum>(number_at(fragment, i / 32, type));
  };
  for (unsigned i = 0; i < m * k; ++i) a[i] = at(of(i % 32).a, i, factor);
  for (unsigned i = 0; i < k * n; ++i) b[i] = at(of(i % 32).b, i, factor);
  for (unsigned i = 0; i < m * n; ++i) c[i] = at(of(i % 32).c, i, result);
  for (unsigned row = 0; row < m; ++row)
    for (unsigned depth = 0; depth < k; ++depth)
      for (unsigned column = 0; column < n; ++column)
        c[row * n + column] += a[row * k + depth] * b[depth * n + column];
  for (unsigned i = 0; i < m * n; ++i) set_number(of(i % 32).d, i / 32, result, c[i]);
}

}  // namespace

double number_at(const void* numbers, unsigned i, PtxType type) {
  const unsigned bytes = type.bits / 8;
  std::uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(numbers) + i * bytes, bytes);
  if (type.kind == 'u') return bits;
  if (type.kind == 's') return bytes == 1 ? static_cast<signed char>(bits) : static_cast<int>(bits);
  return float_value(type.kind == 'T' ? bits & 0xffffe000 : bits, type);
}

void set_number(void* numbers, unsigned i, PtxType type, double x) {
  const std::uint64_t bits = type.kind == 's'
                                 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                                 : float_bits(x, type, Round::nearest);
  std::memcpy(static_cast<char*>(numbers) + i * (type.bits / 8), &bits, type.bits / 8);
}

void wmma_load(void* fragment, const WmmaMatrix& matrix, Place place) {
  check_matrix(matrix, place);
  check_fragment(fragment, matrix.rows * matrix.columns, matrix.element, place);
  const Tile tile{fragment, matrix};
  collective(move_tile<false>, 0xffffffff, {&tile, nullptr, 0}, place);
}

void wmma_store(const void* fragment, const WmmaMatrix& matrix, Place place) {
  check_matrix(matrix, place);
  check_fragment(fragment, matrix.rows * matrix.columns, matrix.element, place);
  const Tile tile{const_cast<void*>(fragment), matrix};
  collective(move_tile<true>, 0xffffffff, {&tile, nullptr, 0}, place);
}

void wmma_multiply(const WmmaProduct& product, Place place) {
  check_fragment(product.a, product.m * product.k, product.factor.bytes, place);
  check_fragment(product.b, product.k * product.n, product.factor.bytes, place);
  check_fragment(product.c, product.m * product.n, product.sum.bytes, place);
  check_fragment(product.d, product.m * product.n, product.sum.bytes, place);
  collective(product.sum.kind == 's' ? multiply_tiles<double> : multiply_tiles<float>, 0xffffffff,
             {&product, nullptr, 0}, place);
}

}  // namespace kbench_emulation
