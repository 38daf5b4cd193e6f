// Which numbers a rule lets pass: what readers check, and what the JSON Schema says.
#pragma once

#include <string_view>

#include "schema/field.hpp"

namespace kbench {

struct Range {
  Rule rule;
  bool with_zero;  // it begins at 0, with it or above
  double highest;  // infinity: unbounded
  bool with_nan;
  std::string_view text;  // "a number > 0"

  bool holds(double value) const;
};

// nullptr where the rule is not about numbers.
const Range* range_of(Rule rule);

}  // namespace kbench
