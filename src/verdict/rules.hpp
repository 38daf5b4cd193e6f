// The rules' judges, for the table in rules.cpp, and what they share.
#pragma once

#include "verdict/verdict.hpp"

namespace kbench {

Verdict judge_flashinfer_bench(const VerdictContext& context, std::span<const TensorView> outputs,
                               std::span<const TensorView> reference);

// Python's max(): the first stays unless the second is greater, so that a NaN never replaces it.
double python_max(double first, double second);

// Puts verdict.matched_ratio, where there is one, into correctness.extra.
void record_ratio(Verdict& verdict);

}  // namespace kbench
