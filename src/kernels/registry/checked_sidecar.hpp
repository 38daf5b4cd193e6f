// Sidecar of a Solution, held against its Definition, and the Solution that results from it.
#pragma once

#include <string>

#include "kernels/registry/sidecar.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

// Returns sidecar_of(), with the conditions of the parameters that the function deletes
// (ignored_parameters.hpp). Misfits to the Solution and its Definition are reported.
Sidecar checked_sidecar(const Stored<Solution>& solution, const Definition& definition,
                        Diagnostics& diagnostics);

// Reports functions of `entry` that the Solution's sources do not have.
void check_entry(const Sidecar& sidecar, const Solution& solution, Diagnostics& out);

// Tells whether another function is called than the entry point that the Solution states.
bool is_called_otherwise(const Solution& solution, const Sidecar& sidecar);
// Returns the Solution with the function that is called: that of its sidecar or for its device, and
// where it does not know an axis, one that calls that for each index.
Solution called_solution(const Solution& solution, const Sidecar& sidecar,
                         const Definition& definition);

// Returns the first 16 digits of a SHA-256 of the conditions under which a Solution runs: which
// calls it supports, and which ones its configurations have to fulfil; "" where there are none.
std::string conditions_digest(const Sidecar& sidecar);

// Returns the called Solution with these values of its parameters (nullptr: none); the function
// that is called once before, "" for none; whether it has parameters; and the digest of its
// conditions. Batches are known only with a Definition.
std::tuple<Solution, std::string, bool, std::string> solution_as_run(
    const Stored<Solution>& solution, const Definition* definition, const Configuration* values);

// Checks axes of a Definition that a Solution does not know: it is called once for each of their
// indices, with the slice of each tensor (docs/solutions.md). Reports axes that the Definition does
// not have, those that are not the first ones of a tensor (its slices would have gaps), outputs
// that lack one of them, and Solutions that kbench cannot call so.
void check_batch(const Sidecar& sidecar, const Solution& solution, const Definition& definition,
                 Diagnostics& out);

// Adds a source to the Solution, whose function is the entry point and makes these calls.
Solution with_batch(Solution solution, const Sidecar& sidecar, const Definition& definition);

}  // namespace kbench
