// The reference's answer in double precision, and how sensitive each of its elements is.
#pragma once

#include "reference/torch/exact/arguments.hpp"
#include "reference/torch/serving/execute.hpp"

namespace kbench {

// Runs the reference once in exact arithmetic, then on perturbed inputs (ExactEffort). The reply's
// `exact` has, for each floating output, r and the condition estimate M of criterion K
// (verdict/within_tolerance.hpp, after Parker's Monte Carlo arithmetic): with every floating input
// element times 1 + δ, δ uniform in (-u, u),
//   M = sqrt(mean over the runs of (r' - r)²) / (u/√3),
// which to first order is sqrt(Σ_j (x_j ∂r/∂x_j)²) whatever u is. u is the unit roundoff of the
// finest floating input: dividing by a coarser one would lose what the finer inputs contribute.
// Throws what loading and calling the reference throw.
ExecuteResult run_exact(const ReferenceRequest& request, const PrivateInputs& inputs);

}  // namespace kbench
