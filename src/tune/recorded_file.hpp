// What the readers of recorded searches share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
#include "tune/kernel_tuner_cache.hpp"

namespace kbench {

struct RecordedFile {
  const Source& source;
  const json::Value& root;
  const RecordedObjective& wanted;
  Diagnostics& out;

  void error(const json::Value& at, std::string message, std::string hint = "") const;
  void warning(const json::Value& at, std::string message, std::string hint = "") const;
  // The value of a key, of that kind; otherwise reported, and nullptr.
  const json::Value* member(const json::Value& object, std::string_view key, json::Kind kind) const;
  // Enters a result of the objective: what is not finite is a failure. False for what is no number.
  static bool take_number(const json::Value* value, RecordedEntry& entry);
  // "" where there is no such string.
  std::string text(std::string_view key) const;
  // Names the record's objective, which the file calls so, and says which way it is better.
  void set_objective(RecordedSearch& record, const std::string& name, const json::Value& at) const;
};

// The value of a parameter's list that a file writes as this one: 1.0 may stand for 1.
std::optional<ParameterValue> listed_value(const SpaceParameter& parameter,
                                           const ParameterValue& value);

std::optional<RecordedSearch> read_cache_file(const RecordedFile& file);
std::optional<RecordedSearch> read_t4_results(const RecordedFile& file);

}  // namespace kbench
