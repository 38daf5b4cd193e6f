// Lengths for the var axes of a Definition that nobody gave: small ones that fulfil what the
// constraints and the reference's asserts ask of axes.
#pragma once

#include <cstdint>

#include "schema/definition.hpp"
#include "schema/ordered_map.hpp"

namespace kbench {

// The var axes in the Definition's order; those of `given` keep their length, whatever it is.
OrderedMap<std::int64_t> sample_axes(const Definition& definition,
                                     const OrderedMap<std::int64_t>& given);

}  // namespace kbench
