// Kinds of record that have a name on the command line (`kbench schema KIND`, `--kind`).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/read.hpp"

namespace kbench {

struct Kind {
  std::string_view name;  // "definition"
  std::string_view doc;
  // Reads `source` as one record of this kind and reports its problems; returns it written in full
  // with two spaces of indentation, "" when there were errors.
  std::string (*check)(const Source& source, const ReadOptions& options, Diagnostics& diagnostics);
  // Returns the JSON Schema (draft-07) of this kind, indented.
  std::string (*json_schema)();
};

std::span<const Kind> kinds();
const Kind* find_kind(std::string_view name);
std::vector<std::string> kind_names();

// Makes JSON Schemas of records (draft-07: editors and validators read it), from field tables.

// Instantiated in kinds.cpp for every record of kinds.hpp; indented by two spaces.
template <class Record>
std::string json_schema();

}  // namespace kbench
