// What a call has left of the poison in its outputs.
#pragma once

#include <string>

#include "exec/output_memory.hpp"

namespace kbench {

// What was not written, unless it passed: a right element may look like the pattern. A byte that is
// no bool counts as true, so it may pass without having been written. "": all was.
std::string unwritten_cause(const OutputMemory& memory, bool passed);

}  // namespace kbench
