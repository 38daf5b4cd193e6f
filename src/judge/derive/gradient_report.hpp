// Findings about the gradients of a Solution on a workload.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schema/configuration.hpp"
#include "schema/trace.hpp"

namespace kbench {

enum class RowStatus : std::uint8_t {
  ok,
  wrong,  // the Solution's fault
  note,   // information, and no fault
};

// The element of a tensor that is furthest off, in parts of its bound.
struct WorstElement {
  std::string place;  // "[3, 17]"
  double value = 0, expected = 0;
  double error = 0, bound = 0;
};

// One check of one tensor or function.
struct GradientRow {
  std::string check;    // "gradient"
  std::string subject;  // "d_weight"
  RowStatus status = RowStatus::ok;
  std::string detail = {};
  std::string set = {}, cotangent = {};  // those of the row; "" where it is of none or of all
  std::optional<WorstElement> worst = {};
  // The least part by which all elements would have to be off together to be seen; infinite where
  // that is not known.
  double visible_factor = std::numeric_limits<double>::infinity();
};

enum class GradientOutcome : std::uint8_t {
  passed,
  wrong,                         // a row is
  reference_not_differentiable,  // nobody can be judged
};

struct GradientTimes {
  std::optional<Timing> forward, backward, both;
};

struct GradientReport {
  std::string definition, workload, solution;
  std::uint64_t seed = 0;
  std::string direction = "fwd+bwd";                 // direction that is timed
  std::optional<ConfigurationRecord> configuration;  // record of that direction's configuration
  GradientOutcome outcome = GradientOutcome::passed;
  std::vector<GradientRow> rows;
  GradientTimes times;
  std::string reproduce;  // the command that does it again

  // One that is wrong decides the outcome.
  void add(GradientRow row) {
    if (row.status == RowStatus::wrong) outcome = GradientOutcome::wrong;
    rows.push_back(std::move(row));
  }
};

// A line each row; `is_coloured` with ANSI colours.
std::string gradient_text(const GradientReport& report, bool is_coloured);

// A JSON array; a number that JSON does not have is a string: "nan", "inf", "-inf".
std::string gradient_json(std::span<const GradientReport> reports);

}  // namespace kbench
