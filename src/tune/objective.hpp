// What a search asks of the world: how long configurations take.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kbench {

// The times of configurations, given by their numbers in the space, in whatever unit: less is
// better. Nothing of one that failed: it was not built, not right or not run. `effort`, from 1 on,
// is how much may be spent on each: who measures takes more samples of it, who replays a recorded
// search does not care. Asked again about a configuration it says what it knows by then.
using Objective = std::function<std::vector<std::optional<double>>(
    std::span<const std::uint32_t> configurations, int effort)>;

}  // namespace kbench
