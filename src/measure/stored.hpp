// What samples that were taken at different times say of two candidates.
#pragma once

#include <optional>
#include <span>

#include "measure/comparison.hpp"

namespace kbench {

struct StoredSamples {
  std::span<const double> samples_ns;  // nanoseconds a call
  std::optional<Interval> control_ns =
      {};  // the machine's pace meanwhile: the quickest and slowest
};

// Each median has an order-statistic interval of half the error, and the interval of the log ratio
// is what they allow together, widened by as much as the control computation differed within both
// runs and between them: so much did the machine change for other reasons. Without a control nobody
// knows by how much, and there is no interval.
Compared compare_stored(const StoredSamples& a, const StoredSamples& b, const CompareRule& rule);

}  // namespace kbench
