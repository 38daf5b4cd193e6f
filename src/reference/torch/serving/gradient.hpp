// The reference's vector-Jacobian product by autograd.
#pragma once

#include "reference/torch/exact/arguments.hpp"
#include "reference/torch/serving/execute.hpp"

namespace kbench {

// For cotangents g of the floating outputs y: the gradient of Σ g·y by each floating tensor input,
// in the input's own dtype, or in exact arithmetic as float64. What the reference says against it
// (torch.no_grad) does not count. An input that no output depends on gets zeros and is named in
// `unused`. In exact arithmetic, where ExactEffort asks for it, two things more. The condition
// condition estimate of each gradient, as run_exact() has it of outputs: inputs and cotangents are
// perturbed alike, each element of both by itself. And a slope for each of the inputs: for a random
// direction v of about the input's own size, Σ gradient·v beside Σ g·(y(x + hv) − y(x − hv)) / 2h,
// h = 1e-6; where they differ the reference has no gradient there that autograd knows of. Throws
// what loading and calling the reference throw, and RaisedError where cotangents do not fit the
// outputs.
ExecuteResult run_gradient(const ReferenceRequest& request, const PrivateInputs& inputs);

}  // namespace kbench
