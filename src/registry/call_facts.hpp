// What the conditions of a sidecar see of a call, as integers by name: docs/tuning.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "problem/problem.hpp"
#include "registry/platform.hpp"
#include "schema/definition.hpp"
#include "schema/ordered_map.hpp"
#include "schema/trace.hpp"

namespace kbench {

using CallFacts = OrderedMap<std::int64_t>;

// The dtypes of its tensors, as "x.dtype", and that of its first input that is one, as "dtype".
CallFacts dtype_facts(const Definition& definition);
// Scalar inputs of a whole value: what is drawn, or a fraction, has no value in a condition.
CallFacts scalar_facts(const Workload& workload);
// How an implementation is written and where it runs: "platform", and "backend" without what of it
// is needed; of what runs anywhere that is "cpu".
CallFacts implementation_facts(std::string_view platform, const Backend& backend);

// Whether a call of the Definition has it: an axis, a scalar input, or what stands for a word.
bool is_of_call(std::string_view name, const Definition& definition);

// Adds `more` to what is there; of two of one name the later one counts.
CallFacts with_facts(CallFacts facts, const CallFacts& more);

// All axes, dtypes and scalars of a problem, and `constants`: those of the implementation.
CallFacts call_facts(const Problem& problem, const CallFacts& constants);

}  // namespace kbench
