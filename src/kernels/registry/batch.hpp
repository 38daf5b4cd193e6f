// Axes of a Definition that a Solution does not know: it is called once for each of their indices,
// with what is left of each tensor. docs/solutions.md
#pragma once

#include "kernels/registry/sidecar.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

// Reports axes that the Definition does not have, those that are not the first ones of a tensor
// (its slices would have gaps), outputs that have none of them, and what kbench cannot call so.
void check_batch(const Sidecar& sidecar, const Solution& solution, const Definition& definition,
                 Diagnostics& out);

// The Solution with a source more, whose function is the entry point and makes these calls.
Solution with_batch(Solution solution, const Sidecar& sidecar, const Definition& definition);

}  // namespace kbench
