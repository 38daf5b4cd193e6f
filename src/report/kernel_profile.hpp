// Kernels as ncu measured them, from its table of raw values: `ncu --import FILE --page raw --csv`
// ("Nsight Compute CLI", raw page; names of metrics: its sections SpeedOfLight, Occupancy and
// LaunchStats).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/grid.hpp"
#include "schema/compiled.hpp"

namespace kbench {

struct ProfileFigure {
  std::string_view key, title;  // "sm", "SM"
  std::string_view metric;      // ncu's name
  enum class Unit { time, percent, bytes, number } unit;
};

// Returns the figures that are shown, in their order.
std::span<const ProfileFigure> profile_figures();

struct ProfiledKernel {
  std::string name;
  // Values in the order of profile_figures(): nanoseconds, percent, bytes; nothing: ncu has none.
  std::vector<std::optional<double>> figures;
};

// One entry for each launch, in their order. Lines outside of the table are passed over, and values
// in it that are no numbers.
std::vector<ProfiledKernel> read_profile(std::string_view csv);

// A row for each launch, at most `most` of them: the longest.
Grid profile_grid(std::vector<ProfiledKernel> kernels, std::size_t most);

// Tables of a solution's kernels as they were compiled, without running them.

// Tables of its kernels, and of accesses that cost more than they need; none that would be empty.
std::vector<Grid> compiled_grids(const std::string& solution, const Compiled& compiled);

}  // namespace kbench
