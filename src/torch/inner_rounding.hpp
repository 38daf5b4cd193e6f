// What some operators round inside before digits cancel.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace kbench {

// What is to be added to the result of such an operator, in units of the size of a rounding:
// random, uniform within what one rounding moves the result by. Undefined for all other operators,
// whose results are off by a part of themselves.
at::Tensor inner_rounding(std::string_view name, const std::vector<c10::IValue>& given,
                          const at::Generator& random);

}  // namespace kbench
