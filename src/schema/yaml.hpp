// YAML in the shape of a parsed JSON text, so that records are read from either by the same code
// and with the same messages.
#pragma once

#include "base/diagnostic.hpp"
#include "base/json.hpp"

namespace kbench {

// Parses the first document of `source`, by yaml-cpp; plain scalars are typed as YAML 1.1's core
// types. A text that is no YAML is reported, and the value is null. A key that is given twice is an
// error or a warning; then the last one counts.
json::Value parse_yaml(const Source& source, json::Memory& memory, Diagnostics& diagnostics,
                       Level repeated_keys = Level::warning);

// Writes the value in block style, lists of words in brackets; parse_yaml() reads the same from it.
// Ends with a newline.
std::string write_yaml(const json::Value& value);

// Returns a word as it stands in YAML, in quotes where it would be read as something else.
std::string yaml_word(std::string_view word);

}  // namespace kbench
