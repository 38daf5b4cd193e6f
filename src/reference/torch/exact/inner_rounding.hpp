// What some operators round inside before digits cancel.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace kbench {

// What is to be added to the double `result` of such an operator, in units of the size of a
// rounding: random, uniform within what the roundings inside move the result by. It is undefined
// for all other operators, whose results are off by a part of themselves.
at::Tensor inner_rounding(std::string_view name, const std::vector<c10::IValue>& given,
                          const at::Tensor& result, const at::Generator& random);

// Whether all are whole numbers that float32 has.
bool is_whole(const at::Tensor& numbers);

}  // namespace kbench
