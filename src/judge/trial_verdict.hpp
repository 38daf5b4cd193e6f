// What the rule says of outputs that one input set has given, and the Definition's own check().
#pragma once

#include <vector>

#include "judge/prepare.hpp"
#include "schema/config.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

// Judges the outputs of a trial. For structured inputs the detail names the set, and there is no
// evidence: inputs of another kind are not added up with random ones.
Verdict trial_verdict(const VerdictRule& rule, const Problem& problem, const ResolvedConfig& config,
                      const Trial& trial, const std::vector<TensorView>& outputs);

}  // namespace kbench
