#include "schema/range.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace kbench {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr Range ranges[] = {
    {Rule::non_negative, true, unbounded, false, "a number >= 0"},
    {Rule::non_negative_or_nan, true, unbounded, true, "a number >= 0 or NaN"},
    {Rule::positive, false, unbounded, false, "a number > 0"},
    {Rule::fraction, false, 1, false, "a number > 0 and <= 1"},
    {Rule::unit, true, 1, false, "a number >= 0 and <= 1"},
    {Rule::setting, false, largest_setting, false, "a number > 0 and <= 1000000000"},
    {Rule::setting_or_zero, true, largest_setting, false, "a number >= 0 and <= 1000000000"},
};

}  // namespace

bool Range::holds(double value) const {
  if (std::isnan(value)) return with_nan;
  return (value > 0 || (with_zero && value == 0)) && value <= highest;
}

const Range* range_of(Rule rule) {
  if (rule == Rule::any) return nullptr;  // nearly all numbers
  const auto* range = std::find_if(std::begin(ranges), std::end(ranges),
                                   [&](const Range& one) { return one.rule == rule; });
  return range == std::end(ranges) ? nullptr : range;
}

}  // namespace kbench
