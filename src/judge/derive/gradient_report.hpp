// What was found out about the gradients of a Solution on a workload.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/configuration.hpp"
#include "schema/trace.hpp"

namespace kbench {

enum class RowStatus : std::uint8_t {
  ok,
  wrong,    // the Solution's fault
  note,     // worth knowing, and no fault
  skipped,  // could not be asked, since something before it failed
};
std::string_view row_status_name(RowStatus status);  // "ok", "WRONG", "note", "skipped"

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
  std::string detail;
  std::string set, cotangent;  // that it is of; "" where it is of none or of all
  std::optional<WorstElement> worst;
  // The least part by which all elements would have to be off together to be seen; infinite where
  // that is not known.
  double visible_factor = std::numeric_limits<double>::infinity();
};

enum class GradientOutcome : std::uint8_t {
  passed,
  wrong,                         // a row is
  reference_not_differentiable,  // nobody can be judged
  failed,                        // the workload or the reference: no fault of the Solution's
};
std::string_view outcome_name(GradientOutcome outcome);  // "PASSED", …

struct GradientTimes {
  std::optional<Timing> forward, backward, both;
};

struct GradientReport {
  std::string definition, workload, solution;
  std::uint64_t seed = 0;
  std::string direction = "fwd+bwd";                 // that is timed
  std::optional<ConfigurationRecord> configuration;  // of that direction
  GradientOutcome outcome = GradientOutcome::passed;
  std::vector<GradientRow> rows;
  GradientTimes times;
  std::string reproduce;  // the command that does it again
};

// passed, unless a row is wrong.
GradientOutcome outcome_of(const std::vector<GradientRow>& rows);

}  // namespace kbench
