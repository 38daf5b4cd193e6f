// References compiled by torch.compile, as Solutions that others are compared with.
#pragma once

#include "schema/definition.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Its dependencies name the version of torch, so that with another one it is another program.
Solution compiled_reference(const Definition& definition);

// Adds that of each definition to the set's solutions, none of which can have its name.
void add_compiled_references(TraceSet& set);

}  // namespace kbench
