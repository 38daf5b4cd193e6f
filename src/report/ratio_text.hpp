// Ratios of times, as people read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "measure/statistics.hpp"

namespace kbench {

// Writes the ratio of a natural logarithm: "0.9954".
std::string ratio_text(double log_ratio);
// "0.9901 to 1.0017"; where there is none, that the pairs were too few.
std::string ratio_text(const std::optional<Interval>& log_ratios,
                       std::string_view none = "too few pairs");

// Says by what factor something is faster or slower whose times have this ratio to those of
// another: "1.121x faster (1.119x to 1.125x)"; without an interval the factor alone.
std::string factor_text(double log_ratio, const std::optional<Interval>& interval);

}  // namespace kbench
