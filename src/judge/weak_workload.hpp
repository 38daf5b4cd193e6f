// Warnings of a workload before solutions are judged on it: it cannot tell right from wrong, or its
// reference makes NaN.
#pragma once

#include "base/diagnostic.hpp"
#include "judge/prepare.hpp"

namespace kbench {

// Writes the trivial answers that the rule of `bound` would let pass into `out`; where there are
// any, warns at the workload's line.
void find_trivial_answers(const BoundWorkload& bound, PreparedWorkload& out,
                          Diagnostics& diagnostics);

// NaN in the reference's answers to random inputs, with a warning there, too, unless the Definition
// says that they come up ("special_outputs").
void find_reference_nan(const BoundWorkload& bound, PreparedWorkload& out,
                        Diagnostics& diagnostics);

// Warns where the double run of the first answer has died.
void tell_lost_answer(const BoundWorkload& bound, const PreparedWorkload& workload,
                      Diagnostics& diagnostics);

}  // namespace kbench
