// YAML in the shape of a parsed JSON text, so that records are read from either by the same code
// and with the same messages.
#pragma once

#include "base/diagnostic.hpp"
#include "base/json.hpp"

namespace kbench {

// The first document of `source`, by yaml-cpp; plain scalars are typed as YAML 1.1's core types.
// What is no YAML is reported, and the value is null.
json::Value parse_yaml(const Source& source, json::Memory& memory, Diagnostics& diagnostics);

}  // namespace kbench
