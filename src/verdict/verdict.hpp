// Verdict: outputs against the reference's, by a named rule. One rule a file, the table in rules.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/tensor_view.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct Tolerance {
  double atol = 1e-2;
  double rtol = 1e-2;
  std::optional<double> required_matched_ratio;  // nothing: the rule's default
};

// What a rule may look at beyond the tensors.
struct VerdictContext {
  std::string_view definition;
  std::string_view op_type;
  Tolerance tolerance;
};

struct Verdict {
  Status status = Status::passed;  // passed or one of the three incorrect ones
  Correctness correctness;         // meaningful for passed and incorrect_numerical
  std::string detail;              // for people: which output, where, how far; "" when passed
};

// Judges one trial: output i against reference i.
using Judge = Verdict (*)(const VerdictContext&, std::span<const TensorView> outputs,
                          std::span<const TensorView> reference);

struct VerdictRule {
  std::string_view name;
  std::string_view doc;
  Judge judge;
};

std::span<const VerdictRule> verdict_rules();
const VerdictRule* find_rule(std::string_view name);

// The verdict over several trials: the first that is not numerical decides, else the maxima of the
// errors as FlashInfer-Bench combines them.
Verdict combine(std::span<const Verdict> trials);

}  // namespace kbench
