// Hub that the ranks of one sharded call share: plain data in memory that the judge made, where
// each has a seat and room for what it gives to the others. No rank is trusted with it: a candidate
// shares the worker's address space and can write here whatever it likes, and the judge takes
// nothing from it but the words in which it tells what became of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace kbench::worker {

constexpr int rank_fd = 8;  // descriptor of the hub, beside those of worker_protocol.hpp

constexpr int max_ranks = 64;
constexpr std::size_t exchange_bytes = std::size_t{1} << 18;  // bytes of a rank in each of 2 halves

enum class Meeting : std::uint32_t { none, barrier, all_gather, reduce_scatter, all_reduce };

constexpr std::string_view meeting_name(Meeting meeting) {
  constexpr std::string_view names[] = {"nothing", "barrier", "all_gather", "reduce_scatter",
                                        "all_reduce"};
  const auto index = static_cast<std::size_t>(meeting);
  return index < std::size(names) ? names[index] : "nothing";
}

// Request of a rank to a meeting: all must be the same. The numbers of types and operations are
// kbench_rank.h's.
struct Posting {
  Meeting meeting;
  std::int32_t type;
  std::int32_t op;
  std::uint32_t unused;
  std::uint64_t bytes;  // size of a rank's part

  friend constexpr bool operator==(const Posting&, const Posting&) = default;
};

enum class Whereabouts : std::uint32_t {
  away,     // busy, or not there yet
  waiting,  // waits in a meeting for the others; or did until it was left alone
};

// Seat of a rank, on cache lines of its own. A meeting takes one step or more; a step's posts and
// gifts lie in the half that its number says, so that a rank ahead by one overwrites nothing.
struct alignas(64) Seat {
  std::uint64_t arrived;   // steps of this command
  std::uint64_t meetings;  // meetings begun in this command, the one that it waits in included
  Whereabouts whereabouts;
  std::uint32_t gone;  // its call is over, one way or another: it comes to no meeting any more
  Posting posted[2];
};

struct alignas(64) Bell {
  std::uint32_t rung;  // a futex: changed whenever a seat is
};

struct Hub {
  Bell bell;
  Seat seats[max_ranks];
  // Two halves of exchange_bytes follow for each rank.
};

constexpr std::size_t hub_bytes(int ranks) {
  return sizeof(Hub) + static_cast<std::size_t>(ranks) * 2 * exchange_bytes;
}

inline std::byte* exchange_of(Hub& hub, int rank, std::uint64_t step) {
  return reinterpret_cast<std::byte*>(&hub + 1) +
         (static_cast<std::size_t>(rank) * 2 + step % 2) * exchange_bytes;
}

static_assert(std::is_trivially_copyable_v<Hub>);

}  // namespace kbench::worker
