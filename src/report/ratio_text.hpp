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

}  // namespace kbench
