// A workload for a Definition, made up: lengths of axes, scalars, and everything else random.
#pragma once

#include <cstdint>

#include "schema/definition.hpp"
#include "schema/ordered_map.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Var axes as `given`, else by sample_axes(); tensors random; scalars by what their description,
// run's default or their name says, else 1. The uuid is empty.
Workload sample_workload(const Definition& definition, const OrderedMap<std::int64_t>& given);

}  // namespace kbench
