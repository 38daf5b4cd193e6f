// Exactness of an operator's result: roundings inside it before digits cancel, and whether numbers
// are certain: every program that is right has the same ones, to the bit.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace kbench {

// Returns an addend to the double `result` of such an operator, in units of the size of a rounding:
// random, uniform within what the roundings inside move the result by. It is undefined for all
// other operators, whose results are off by a part of themselves.
at::Tensor inner_rounding(std::string_view name, const std::vector<c10::IValue>& given,
                          const at::Tensor& result, const at::Generator& random);

// Returns the same of decays e^x, or of sigmoids, where a program adds up logarithms over so many
// steps, subtracts two such sums and takes the exponential: the sums have been rounded at their
// size. The longest axis is of the steps if it has as many.
at::Tensor rounding_of_decay(std::string_view name, const std::vector<c10::IValue>& given,
                             const at::Tensor& decays, double steps, const at::Generator& random);

// Tells whether all are whole numbers that float32 has.
bool is_whole(const at::Tensor& numbers);

// Tells whether `result` is certain if all tensors that the operator is given are. Comparisons and
// moved numbers are, and so is arithmetic with whole numbers that float32 has; a result that a
// program may round, or choose among equal numbers, is not.
bool stays_certain(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
                   const c10::IValue& result, bool only_moves);

}  // namespace kbench
