// A workload for a Definition, made up: lengths of axes, scalars, and everything else random.
#pragma once

#include <cstdint>

#include "schema/containers.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Returns a workload: var axes as `given`, else by sample_axes(); tensors random; scalars by what
// their description, run's default or their name says, else 1. The uuid is empty.
Workload sample_workload(const Definition& definition, const OrderedMap<std::int64_t>& given);

// Lengths for the var axes of a Definition that nobody gave: small ones that fulfil what the
// constraints and the reference's asserts ask of axes.

// The var axes in the Definition's order; those of `given` keep their length, whatever it is.
OrderedMap<std::int64_t> sample_axes(const Definition& definition,
                                     const OrderedMap<std::int64_t>& given);

}  // namespace kbench
