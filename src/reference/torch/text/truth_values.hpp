// Python's `and` and `or` give one of their operands; LibTorch's compiler makes truths of them.
#pragma once

#include "reference/torch/text/draft.hpp"

namespace kbench {

// Throws UnsupportedText for an `and` or `or` whose value may be something else than a truth and is
// used: anywhere but in a condition, unless every operand is a comparison or a truth itself. One
// `or` that is all of an assignment or a return is well: another rule rewrites it.
void refuse_operand_values(const Draft& draft);

}  // namespace kbench
