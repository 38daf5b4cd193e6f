// Compares two candidates by times that were taken in different runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "measure/comparison.hpp"
#include "measure/starts.hpp"

namespace kbench {

struct StoredTime {
  LogEstimate log_ns;
  std::size_t samples = 0;
  // The machine's pace meanwhile: the quickest and slowest look at it.
  std::optional<Interval> control_ns = {};
};

// The estimate of a record that holds nothing but the samples of one start, nanoseconds: their
// median, by order statistics, and a percent for where that start came to lie; of very few that of
// a single start.
LogEstimate estimate_of_samples(std::span<const double> samples_ns);

// The two runs are independent, so the half widths of their intervals add up as squares. The result
// is widened by as much as the control computation differed within both runs and between them: so
// much did the machine change for other reasons. Without a control nobody knows by how much, and
// there is no interval.
Compared compare_stored(const StoredTime& a, const StoredTime& b, const CompareRule& rule);

}  // namespace kbench
