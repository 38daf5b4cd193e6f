// The trials of structured inputs (data/structure) of one workload.
#pragma once

#include "judge/prepare.hpp"

namespace kbench {

// Adds to `out`, whose random trials are made, those input sets that are fair: nobody is asked for
// more than the reference gives. The others are recorded with the reason. Their condition estimates
// come from few perturbed runs. Throws as ReferenceEvaluator::evaluate.
void add_structured(const BoundWorkload& bound, ReferenceEvaluator& evaluator,
                    PreparedWorkload& out);

}  // namespace kbench
