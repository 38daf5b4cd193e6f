// A parsed value back to text.
#pragma once

#include <string>

#include "base/json.hpp"

namespace kbench {

// Compact JSON of a parsed value, numbers as they were written where JSON knows them; NaN and
// ±Infinity, which JSON cannot write, become strings, and so does what is no number (YAML's 1.2.3).
std::string compact_json(const json::Value& value);

// A JSON string literal, quotes included.
std::string json_quote(std::string_view text);

}  // namespace kbench
