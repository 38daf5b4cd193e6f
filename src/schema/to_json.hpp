// Records → JSON, as FlashInfer-Bench writes them.
#pragma once

#include <string>

namespace kbench {

enum class Dump {
  full,  // every field, defaults and nulls too: lines of .jsonl files
  set,   // only the fields that were given: .json files
};

// Instantiated in to_json.cpp for every record of kinds.hpp. `indent` < 0: compact, on one line.
// Numbers that JSON cannot write (NaN, ±Infinity) become the strings that every reader of the
// schema takes.
template <class Record>
std::string to_json(const Record& record, Dump dump, int indent = -1);

}  // namespace kbench
