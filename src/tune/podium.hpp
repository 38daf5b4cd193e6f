// Who wins a contest of configurations.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "measure/contest.hpp"

namespace kbench {

struct Finalist {
  std::size_t row = 0;       // of the search's report
  double shortest_ns = 0.0;  // of its samples there
};

// One of the finalists, which are the contest's contenders. The heuristic's, unless it is out; then
// one of those that are surely faster than it, by themselves or by way of others that they have put
// out. These are not told apart by all their samples; as in the race, the shortest is the least
// disturbed one.
std::size_t winner_of(const Contest& contest, std::span<const Finalist> finalists,
                      std::optional<std::size_t> heuristic);

}  // namespace kbench
