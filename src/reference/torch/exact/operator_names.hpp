// Kinds of operators, by their names, and of tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include <string_view>

namespace kbench {

// Returns "softmax" for "aten::softmax" and for "aten::softmax_".
std::string_view bare_name(const c10::OperatorHandle& op);

// Products of matrices or vectors, and what consists of them: attention, convolution. Names are
// bare, as for the next ones.
bool is_product(std::string_view name);
// Sums over an axis, some, or all. Axes that the result lacks were summed over.
bool is_sum(std::string_view name);
// Sums of the numbers as they are.
bool adds_up(std::string_view name);
// Sums into places that an index says: all may go to one.
bool is_gathering(std::string_view name);
// Operators that work element by element, and give numbers that they were given, or whole ones.
bool never_rounds(std::string_view name);

inline bool is_tensor(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined();
}

inline bool is_double(const c10::IValue& value) {
  return is_tensor(value) && value.toTensor().scalar_type() == at::kDouble;
}

// Whole numbers may be indices.
inline bool is_index(const c10::IValue& value) {
  return is_tensor(value) && c10::isIntegralType(value.toTensor().scalar_type(), false);
}

}  // namespace kbench
