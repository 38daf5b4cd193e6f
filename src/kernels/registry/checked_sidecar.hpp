// What is said of a Solution, held against its Definition, and what becomes of the Solution by it.
#pragma once

#include <string>

#include "kernels/registry/sidecar.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

// sidecar_of(), with the conditions of what the function deletes (ignored_parameters.hpp). What
// does not fit the Solution and its Definition is reported.
Sidecar checked_sidecar(const Stored<Solution>& solution, const Definition& definition,
                        Diagnostics& diagnostics);

// Reports functions of `entry` that the Solution's sources do not have.
void check_entry(const Sidecar& sidecar, const Solution& solution, Diagnostics& out);

// Whether something else is called than the entry point that it states.
bool is_called_otherwise(const Solution& solution, const Sidecar& sidecar);
// The Solution with the function that is called: that of its sidecar or for its device, and where
// it does not know an axis, one that calls that for each index.
Solution called_solution(const Solution& solution, const Sidecar& sidecar,
                         const Definition& definition);

// The begin of a SHA-256 of the conditions under which a Solution runs: what it supports, and what
// its configurations have to fulfil; "" where there are none.
std::string conditions_digest(const Sidecar& sidecar);

// The called Solution with these values of its parameters (nullptr: none); the function that is
// called once before, "" where there is none; whether it has parameters; and the digest of its
// conditions. Without its Definition nothing is known of batches.
std::tuple<Solution, std::string, bool, std::string> solution_as_run(
    const Stored<Solution>& solution, const Definition* definition, const Configuration* values);

// Axes of a Definition that a Solution does not know: it is called once for each of their indices,
// with what is left of each tensor (docs/solutions.md). Reports axes that the Definition does not
// have, those that are not the first ones of a tensor (its slices would have gaps), outputs that
// have none of them, and what kbench cannot call so.
void check_batch(const Sidecar& sidecar, const Solution& solution, const Definition& definition,
                 Diagnostics& out);

// The Solution with a source more, whose function is the entry point and makes these calls.
Solution with_batch(Solution solution, const Sidecar& sidecar, const Definition& definition);

}  // namespace kbench
