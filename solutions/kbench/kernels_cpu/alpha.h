// SPDX-License-Identifier: Apache-2.0
// The factor of add: which numbers it may be for which element type, as in PyTorch.
#ifndef KBENCH_CPU_ALPHA_H_
#define KBENCH_CPU_ALPHA_H_

#include <cmath>

#include "dtypes.h"

namespace kbench_cpu {

// What an unsigned type has, its negative may be, too: it wraps.
inline bool is_alpha_in_range(const Scalar& alpha, ScalarType type) {
  if (type == ScalarType::Bool) return true;
  if (is_floating(type)) {
    const double value = to_double(alpha);
    return !std::isfinite(value) || std::abs(value) <= highest_finite(type);
  }
  const Limits range = limits(type);
  const int64_t lowest = type == ScalarType::Byte ? -range.highest : range.lowest;
  return to_integer(alpha) >= lowest && to_integer(alpha) <= range.highest;
}

// "" for an alpha that elements of `type` can be multiplied by.
inline const char* alpha_problem(const Scalar& alpha, ScalarType type) {
  if (alpha.isBoolean() && type != ScalarType::Bool)
    return "alpha may be a boolean for Bool tensors alone";
  if (alpha.isFloatingPoint() && !is_floating(type))
    return "alpha must be a whole number for tensors of whole numbers";
  return is_alpha_in_range(alpha, type) ? "" : "alpha is out of the element type's range";
}

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_ALPHA_H_
