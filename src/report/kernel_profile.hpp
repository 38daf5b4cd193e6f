// What ncu measured of kernels, from its table of raw values: `ncu --import FILE --page raw --csv`
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
  std::string_view metric;      // as ncu calls it
  enum class Unit { time, percent, bytes, number } unit;
};

// Returns the figures that are shown, in their order.
std::span<const ProfileFigure> profile_figures();

struct ProfiledKernel {
  std::string name;
  // In the order of profile_figures(), in nanoseconds, percent, bytes; nothing where ncu has none.
  std::vector<std::optional<double>> figures;
};

// One for each launch, in their order. Other lines than the table's, and what is no number in it,
// are passed over.
std::vector<ProfiledKernel> read_profile(std::string_view csv);

// A row for each launch, at most `most` of them: the longest.
Grid profile_grid(std::vector<ProfiledKernel> kernels, std::size_t most);

// What can be said of a solution's kernels without running them, as tables.

// One of its kernels, and one of the accesses that cost more than they need; without rows where
// there is nothing to say.
std::vector<Grid> compiled_grids(const std::string& solution, const Compiled& compiled);

}  // namespace kbench
