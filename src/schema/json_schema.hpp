// Records → JSON Schema (draft-07: what editors and validators read alike), from the field tables.
#pragma once

#include <string>

namespace kbench {

// Instantiated in json_schema.cpp for every record of kinds.hpp; indented by two spaces.
template <class Record>
std::string json_schema();

}  // namespace kbench
