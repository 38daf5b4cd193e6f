// What a judgement is told: by the command line, and by a record that is judged again. One record
// from the option to the trace; its rows are in judge_settings_fields.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schema/field.hpp"
#include "schema/raw_json.hpp"

namespace kbench {

struct JudgeSettings {
  // In records what holds for this definition, FlashInfer-Bench's keys; without the effort that
  // kbench chose itself.
  std::optional<RawJson> config;
  std::int64_t timeout_seconds = 300;
  std::int64_t memory_bytes = std::int64_t{8} << 30;
  std::int64_t threads = 1;
  double budget_seconds = 0.03;
  std::string evaluator = "auto";
  std::string sanitize;  // "address,undefined", "memcheck"; "": none
  bool cold = false;
  bool rotate = false;
  bool lock_clocks = false;
  std::int64_t loads = 1;
  std::string engine = "kbench";
  FieldSet present{};

  // --precise
  void take_precisely() {
    budget_seconds = 0.4;
    loads = 8;
  }
};

}  // namespace kbench
