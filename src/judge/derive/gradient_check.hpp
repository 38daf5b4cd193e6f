// The checks of a Solution's gradients on one workload, each a row: docs/gradients.md says what
// each proves.
#pragma once

#include <vector>

#include "judge/derive/gradient_functions.hpp"
#include "judge/derive/gradient_prepare.hpp"
#include "judge/derive/gradient_report.hpp"
#include "judge/evaluate.hpp"

namespace kbench {

// Never throws for what the candidate does: a crash, a hang, a refusal are rows, and what could not
// be asked then is a skipped one.
std::vector<GradientRow> check_gradients(const GradientSubject& subject,
                                         const EvaluateOptions& options);

}  // namespace kbench
