// Single-word collectives of a warp's lanes: shuffles, votes, reductions.
#include <kbench_emulation_threads.h>

#include <cstring>

#include "emulate/runtime/fault.hpp"
#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {
namespace {

// Returns the lane that a lane's value comes from: the PTX ISA's shfl in segments of `width` lanes.
int source_of(int lane, const Shuffle& how) {
  const int first = lane & ~(how.width - 1), last = first | (how.width - 1);
  switch (how.mode) {
    case Shuffle::index:
      return first | (how.distance & (how.width - 1));
    case Shuffle::up:
      return lane - how.distance >= first ? lane - how.distance : lane;
    case Shuffle::down:
      return lane + how.distance <= last ? lane + how.distance : lane;
    case Shuffle::exclusive_or:
      break;
  }
  const int other = lane ^ how.distance;
  return other <= last ? other : lane;
}

struct Shuffled {
  const void* value;
  Shuffle how;
};

void do_shuffle(const Exchange& exchange) {
  for (int lane = 0; lane < 32; ++lane) {
    if ((exchange.present >> lane & 1) == 0) continue;
    const Lane& mine = exchange.lanes[lane];
    const auto& brought = *static_cast<const Shuffled*>(mine.in);
    const int source = source_of(lane, brought.how) & 31;
    if ((exchange.present >> source & 1) != 0) {
      std::memcpy(mine.out, static_cast<const Shuffled*>(exchange.lanes[source].in)->value,
                  brought.how.bytes);
      continue;
    }
    std::memset(mine.out, nonsense, brought.how.bytes);
    note("BAD_SYNC_MASK", {exchange.place, nullptr},
         "lane %d gets a value of lane %d, which takes no part", lane, source);
  }
}

template <typename Work>
void combine_all(const Exchange& exchange, Work work) {
  for (int lane = 0; lane < 32; ++lane)
    if (exchange.present >> lane & 1) {
      std::uint64_t value;
      std::memcpy(&value, exchange.lanes[lane].in, sizeof value);
      work(lane, value);
    }
}

void give(const Exchange& exchange, std::uint64_t result) {
  for (int lane = 0; lane < 32; ++lane)
    if (exchange.present >> lane & 1) std::memcpy(exchange.lanes[lane].out, &result, sizeof result);
}

void do_ballot(const Exchange& exchange) {
  std::uint64_t votes = 0;
  combine_all(exchange, [&](int lane, std::uint64_t value) { votes |= (value & 1) << lane; });
  give(exchange, votes);
}

void do_match_any(const Exchange& exchange) {
  combine_all(exchange, [&](int lane, std::uint64_t mine) {
    std::uint64_t equal = 0;
    combine_all(exchange, [&](int other, std::uint64_t value) {
      if (value == mine) equal |= std::uint64_t{1} << other;
    });
    std::memcpy(exchange.lanes[lane].out, &equal, sizeof equal);
  });
}

void do_match_all(const Exchange& exchange) {
  bool has_first = false, are_equal = true;
  std::uint64_t first = 0;
  combine_all(exchange, [&](int, std::uint64_t value) {
    if (!has_first) first = value;
    has_first = true;
    are_equal = are_equal && value == first;
  });
  give(exchange, are_equal ? exchange.mask : 0);
}

// Reduces 32-bit words.
template <typename T, T (*join)(T, T)>
void do_reduce(const Exchange& exchange) {
  bool has_first = false;
  T result{};
  combine_all(exchange, [&](int, std::uint64_t value) {
    const T mine = static_cast<T>(value);
    result = has_first ? join(result, mine) : mine;
    has_first = true;
  });
  give(exchange, static_cast<std::uint64_t>(result));
}

using U = std::uint32_t;
using S = std::int32_t;
U add(U a, U b) { return a + b; }
template <typename T>
T least(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T most(T a, T b) {
  return a < b ? b : a;
}
U both(U a, U b) { return a & b; }
U either(U a, U b) { return a | b; }
U one(U a, U b) { return a ^ b; }

constexpr Operation operations[] = {
    do_ballot,           do_match_any,         do_match_all,        do_reduce<U, add>,
    do_reduce<U, least>, do_reduce<U, most>,   do_reduce<S, least>, do_reduce<S, most>,
    do_reduce<U, both>,  do_reduce<U, either>, do_reduce<U, one>};

}  // namespace

void shuffle(uint32_t mask, const void* in, void* out, const Shuffle& how, Place place) {
  if (how.width < 1 || how.width > 32 || (how.width & (how.width - 1)) != 0)
    fault("BAD_SYNC_MASK", {place, nullptr}, "a shuffle among %d lanes, which is no power of two",
          how.width);
  const Shuffled brought{in, how};
  collective(do_shuffle, mask, {&brought, out, 0}, place);
}

uint64_t combine(uint32_t mask, WarpOperation operation, uint64_t value, Place place) {
  std::uint64_t result = 0;
  collective(operations[static_cast<int>(operation)], mask, {&value, &result, 0}, place);
  return result;
}

}  // namespace kbench_emulation
