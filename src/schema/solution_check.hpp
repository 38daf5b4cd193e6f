// Checks of how a solution is built and launched.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "schema/check.hpp"

namespace kbench {

// Rules for a C++ solution's flags to the compiler: they may say how its own sources become code,
// not name files elsewhere, run programs or write beside the library.

// Reports bad `compile_flags` and `link_flags`, each at its place below the spec.
Findings check_flags(const BuildSpec& spec);

// Limits of a launch whatever the Definition is (problem/launch.hpp has the rest).

// Values that every device takes. Source: "CUDA C++ Programming Guide" 13, Compute Capabilities.
struct LaunchRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
constexpr std::array<LaunchRange, 3> grid_range = {{{0, 2147483647}, {0, 65535}, {0, 65535}}};
constexpr std::array<LaunchRange, 3> block_range = {{{1, 1024}, {1, 1024}, {1, 64}}};
constexpr LaunchRange shared_range = {0, 2147483647};  // the device allows less
constexpr LaunchRange threads_range = {1, 1024};       // product of a block's sizes

// Returns "expected 1 to 1024, found 2048"; "" where it is in the range.
std::string range_problem(std::int64_t value, const LaunchRange& range);

// Reports errors of `launch` and what stands beside it, each at its place below the spec.
Findings check_launch(const BuildSpec& spec);

}  // namespace kbench
