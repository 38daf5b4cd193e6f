// Tensors that go to kbench-torch beside a request, in one piece of memory.
#pragma once

#include <span>

#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "problem/tensor_view.hpp"
#include "reference/evaluator.hpp"

namespace kbench {

// The arguments of a Definition's check(): all tensors in one piece of memory, sealed; their places
// go into the request.
SharedMemory with_check_arguments(std::span<const CheckArgument> arguments,
                                  ReferenceRequest& request);

// The inputs' memory with the cotangents behind it, sealed; their places go into the request.
SharedMemory with_cotangents(const Inputs& inputs, std::span<const NamedTensor> cotangents,
                             ReferenceRequest& request);

}  // namespace kbench
