// References, as they are and compiled by torch.compile, as Solutions that others are compared
// with.
#pragma once

#include "schema/solution.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// One of names_of_references. Its dependencies name the version of torch, so that with another one
// it is another program.
Solution solution_of_reference(std::string_view name, const Definition& definition);

// Adds that of each definition to the set's solutions, none of which can have its name.
void add_references(std::string_view name, TraceSet& set);

}  // namespace kbench
