// The reference's vector-Jacobian product by autograd.
#pragma once

#include "torch/execute.hpp"
#include "torch/private_inputs.hpp"

namespace kbench {

// For cotangents g of the floating outputs y: the gradient of Σ g·y by each floating tensor input,
// in the input's own dtype, or in exact arithmetic as float64. What the reference says against it
// (torch.no_grad) does not count. An input that no output depends on gets zeros and is named in
// `unused`. Throws what loading and calling the reference throw, and RaisedError where cotangents
// do not fit the outputs.
ExecuteResult run_gradient(const ReferenceRequest& request, const PrivateInputs& inputs);

}  // namespace kbench
