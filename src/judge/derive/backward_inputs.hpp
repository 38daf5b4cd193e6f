// The inputs of a backward call: what a forward call was given and left, and a cotangent.
#pragma once

#include <span>

#include "judge/derive/cotangents.hpp"
#include "judge/derive/gradient_problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// In one sealed memory, each tensor on a page of its own. `left`: the forward call's outputs, then
// its residuals, of the declared shapes and dtypes; they are copied, as all is.
Inputs backward_inputs(const GradientProblem& problem, const Inputs& inputs,
                       std::span<const TensorView> left, const Cotangent& cotangent);

// Returns the same inputs in memory of their own.
Inputs copied(const Inputs& inputs);

// Some elements of every floating tensor set to zero: about one in eight, and all of the first
// index of the first axis. Where kernels divide by what may be zero, or branch on its sign.
Inputs with_zeros(const Inputs& inputs);

}  // namespace kbench
