// What a call has left of the poison in its outputs.
#pragma once

#include <span>
#include <string>

#include "exec/poisoned_outputs.hpp"
#include "verdict/standard.hpp"

namespace kbench {

// Says what was not written; "": all was. In outputs that passed, a right element may look like the
// pattern, but for two kinds: a byte that is no bool counts as true, and a NaN passes where the
// answer is one; the latter is looked at where `standards` say by what the outputs were judged.
std::string unwritten_cause(const PoisonedOutputs& memory, bool passed,
                            std::span<const Standard> standards = {});

}  // namespace kbench
