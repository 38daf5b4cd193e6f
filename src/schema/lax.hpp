// Conversion of single JSON values to C++ values, pydantic's lax mode. Source: pydantic's
// conversion table, JSON input, lax; observed in FlashInfer-Bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "schema/field.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Takes 4, 4.0, "4", " 4 ", "4.0" and true; nothing for no integer or more than 64 bits.
std::optional<std::int64_t> lax_integer(const json::Value& value);

// Takes numbers and strings that hold one, "NaN" and "inf" among them.
std::optional<double> lax_number(const json::Value& value);

// Takes true, 0, "yes", "off", …
std::optional<bool> lax_bool(const json::Value& value);

// Takes an integer, a number or a bool: the exact type first, then what the text reads as.
std::optional<ScalarValue> lax_scalar(const json::Value& value);

// Numbers that a rule lets pass: readers check them, and the JSON Schema states them.
struct Range {
  Rule rule;
  bool with_zero;  // lower bound is 0, itself allowed or not
  double highest;  // infinity: unbounded
  bool with_nan;
  std::string_view text;  // "a number > 0"

  bool holds(double value) const;
};

// Returns nullptr where the rule is not about numbers.
const Range* range_of(Rule rule);

}  // namespace kbench
