// The arguments of a Definition's check() as kbench-torch gets them.
#pragma once

#include <span>

#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "reference/evaluator.hpp"

namespace kbench {

// All tensors in one piece of memory, sealed; their places go into the request.
SharedMemory with_check_arguments(std::span<const CheckArgument> arguments,
                                  ReferenceRequest& request);

}  // namespace kbench
