// What kind of tensor a value is.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

namespace kbench {

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
