// References compiled by torch.compile, as Solutions that others are compared with.
#pragma once

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Its dependencies name the version of torch, so that with another one it is another program.
Solution compiled_reference(const Definition& definition);

// Adds that of each definition to the set's solutions. Where one of these has its name already,
// that is reported.
void add_compiled_references(TraceSet& set, Diagnostics& diagnostics);

}  // namespace kbench
