// What samples that were taken at different times say of two candidates.
#pragma once

#include <optional>
#include <span>

#include "measure/comparison.hpp"

namespace kbench {

struct StoredSamples {
  std::span<const double> samples_ns;  // nanoseconds a call
  // The machine's pace meanwhile: the quickest and slowest look at it.
  std::optional<Interval> control_ns = {};
  // ln(slowest / quickest) of the medians of several loads; nothing of a single one.
  std::optional<double> between_loads = {};
};

// What another load of the same could have taken, as a logarithm of a ratio: what several loads
// differ by, or a percent where there is one; and 2 ns, to which the null call is known.
// `quickest_ns`: of a call.
double unknown_of_loads(std::optional<double> between_loads, double quickest_ns);

// Each median has an order-statistic interval of half the error, and the interval of the log ratio
// is what they allow together; where samples are too few for that, and no fewer than 7, it is that
// of their shift (rank_interval.hpp). It is widened by as much as the control computation differed
// within both runs and between them: so much did the machine change for other reasons. Without a
// control nobody knows by how much, and there is no interval. Nor does a load know what another one
// would have taken: what several loads differ by, or a percent of one; and 2 ns, to which the null
// call is known. Samples are positive.
Compared compare_stored(const StoredSamples& a, const StoredSamples& b, const CompareRule& rule);

}  // namespace kbench
