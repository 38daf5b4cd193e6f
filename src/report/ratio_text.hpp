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

// Writes a value as people read it: "12.3x ±4%", and where half of the interval is above a quarter
// of the value the range, "9 to 16x". Of a time: "446 ns ±4%", "71.0 to 119 µs".
std::string value_text(double ratio, const std::optional<Interval>& interval);
std::string time_text(double ns, const std::optional<Interval>& interval_ns);

}  // namespace kbench
