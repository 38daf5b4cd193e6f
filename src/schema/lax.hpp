// Single JSON values → C++ values, as pydantic's lax mode converts them.
// Source: pydantic's conversion table, JSON input, lax; observed in FlashInfer-Bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "schema/field.hpp"
#include "schema/trace.hpp"

namespace kbench {

// 4, 4.0, "4", " 4 ", "4.0" and true; nothing for what is no integer or exceeds 64 bits.
std::optional<std::int64_t> lax_integer(const json::Value& value);

// Numbers and strings that hold one, "NaN" and "inf" among them.
std::optional<double> lax_number(const json::Value& value);

// true, 0, "yes", "off", …
std::optional<bool> lax_bool(const json::Value& value);

// An integer, a number or a bool: the exact type first, then what the text can be read as.
std::optional<ScalarValue> lax_scalar(const json::Value& value);

// Which numbers a rule lets pass: what readers check, and what the JSON Schema says.
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
