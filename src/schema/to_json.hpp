// Converts records to JSON, as FlashInfer-Bench writes them.
#pragma once

#include <string>

#include "base/json.hpp"

namespace kbench {

enum class Dump {
  full,  // all fields, defaults and nulls too: lines of .jsonl files
  set,   // given fields only: .json files
};

// Instantiated in to_json.cpp for every record of kinds.hpp. `indent` < 0: compact, on one line.
// Numbers that JSON cannot write (NaN, ±Infinity) become the strings that every reader of the
// schema takes.
template <class Record>
std::string to_json(const Record& record, Dump dump, int indent = -1);

// Text of a parsed value.

// Returns compact JSON of a parsed value, numbers as they were written where JSON knows them; NaN
// and ±Infinity, which JSON cannot write, become strings, as do texts of no number (YAML's 1.2.3).
std::string compact_json(const json::Value& value);

// Returns a JSON string literal, quotes included.
std::string json_quote(std::string_view text);

}  // namespace kbench
