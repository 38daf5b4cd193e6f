// Single JSON values → C++ values, as pydantic's lax mode converts them.
// Source: pydantic's conversion table, JSON input, lax; observed in FlashInfer-Bench.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json.hpp"
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

}  // namespace kbench
