// What LibTorch's compiler takes, and gives another value for than Python.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace kbench {

// Throws torch::jit::ErrorReport, with the place, for the truth of a number from .item() and for //
// and % of floats.
void refuse_other_values(const torch::jit::Block& block);

}  // namespace kbench
