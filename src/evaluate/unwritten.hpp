// What a call has not written, by the poison that is still there.
#pragma once

#include <string>

#include "exec/output_memory.hpp"

namespace kbench {

// "UNWRITTEN: 3 of 8 elements of output …", "" for nothing. What was not written, unless it
// `passed`: a right element may look like the pattern. A byte that is no bool counts as true, so it
// may pass without having been written.
std::string unwritten_cause(const OutputMemory& memory, bool passed);

}  // namespace kbench
