// Whether numbers are certain: every program that is right has the same ones, to the bit.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace kbench {

// Whether `result` is certain where all tensors that the operator is given are. Comparisons and
// moved numbers are, and so is arithmetic with whole numbers that float32 has; what a program may
// round, or choose among equal numbers, is not.
bool stays_certain(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
                   const c10::IValue& result, bool only_moves);

}  // namespace kbench
