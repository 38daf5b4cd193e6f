// Reader of records from JSON, lax as FlashInfer-Bench (pydantic's lax mode): "4" is an integer,
// "yes" a bool, unknown keys are ignored. All problems of a record are reported, not only one.
#pragma once

#include <filesystem>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/json.hpp"

namespace kbench {

struct ReadOptions {
  bool strict = false;  // unknown keys are errors, not warnings where they look misspelt
  std::filesystem::path directory;  // folder of a solution's sources without "content"; "": none
  bool warn_of_all = false;         // unknown keys are warnings, whatever they look like
};

// Reads a record of a parsed document; nothing when an error was reported. Instantiated in read.cpp
// for every record of kinds.hpp.
template <class Record>
std::optional<Record> read(const Source& source, const json::Value& value,
                           const ReadOptions& options, Diagnostics& diagnostics);

// Reads a record that is the whole text of `source`.
template <class Record>
std::optional<Record> read_text(const Source& source, const ReadOptions& options,
                                Diagnostics& diagnostics);

}  // namespace kbench
