// A request's arguments as LibTorch's values.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

#include "problem/reference_protocol.hpp"
#include "reference/torch/exact/private_inputs.hpp"

namespace kbench {

// One argument; its tensor lies in the inputs' memory.
c10::IValue native_argument(const ReferenceArgument& argument, const PrivateInputs& inputs);
std::vector<c10::IValue> native_arguments(const std::vector<ReferenceArgument>& arguments,
                                          const PrivateInputs& inputs);

// The arguments of a double run.
struct ExactInputs {
  // Each element of a floating tensor times 1 + δ, δ uniform in (-size, size). 0: as they are.
  double perturbation = 0;
  double operand_rounding = 0, value_rounding = 0;  // as ValueFlow::round() has them; 0: are not
  std::uint64_t run = 0;  // other ones, other numbers; the same ones, the same
};

// Floating tensors become float64 tensors of their own, packed float4 stays. What it does to an
// element depends on the run, the argument's place and the element's index alone.
std::vector<c10::IValue> exact_arguments(const std::vector<ReferenceArgument>& arguments,
                                         const PrivateInputs& inputs, const ExactInputs& how);

// Whether exact_arguments() makes it float64.
bool is_widened(const ReferenceArgument& argument);

// Moves the elements of another float64 tensor, which is contiguous, as those of an argument in
// this place.
void perturb(at::Tensor& tensor, const ExactInputs& how, std::uint64_t place);

}  // namespace kbench
