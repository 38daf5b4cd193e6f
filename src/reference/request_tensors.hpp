// Tensors that go to kbench-torch beside a request, in one piece of memory.
#pragma once

#include <span>

#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "problem/tensor_view.hpp"
#include "reference/evaluator.hpp"

namespace kbench {

// Puts all tensor arguments of a Definition's check() in one piece of memory, sealed; their places
// go into the request.
SharedMemory with_check_arguments(std::span<const CheckArgument> arguments,
                                  ReferenceRequest& request);

// Puts the cotangents behind the inputs' memory, sealed; their places go into the request.
SharedMemory with_cotangents(const Inputs& inputs, std::span<const NamedTensor> cotangents,
                             ReferenceRequest& request);

}  // namespace kbench
