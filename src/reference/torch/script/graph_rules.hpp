// What LibTorch's compiler takes, and gives another value for than Python.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace kbench {

// Throws torch::jit::ErrorReport, with the place, for the truth of a number from .item() and for //
// and % of floats.
void refuse_other_values(const torch::jit::Block& block);

// Lets `x *= 0.1` and x.mul_(0.1) multiply as eager PyTorch does: there the number stays a double,
// LibTorch's operator for it rounds it to float16 or bfloat16 first.
void keep_factors(torch::jit::Graph& graph);

}  // namespace kbench
