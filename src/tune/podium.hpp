// Who wins a contest of configurations.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "measure/contest.hpp"

namespace kbench {

// One of the contest's contenders, of each of which the shortest sample is given. The heuristic's,
// unless it is out; then one of those that are surely faster than it, by themselves or by way of
// others that they have put out. These are not told apart by all their samples; as in the race, the
// shortest is the least disturbed one.
std::size_t winner_of(const Contest& contest, std::span<const double> shortest_ns,
                      std::optional<std::size_t> heuristic);

}  // namespace kbench
