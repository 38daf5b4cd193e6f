// SPDX-License-Identifier: Apache-2.0
// What a call of native_layer_norm asks for: rows of how many values, and outputs of which sizes.
#ifndef KBENCH_CPU_NORM_ROWS_H_
#define KBENCH_CPU_NORM_ROWS_H_

#include <optional>

#include "shape.h"

namespace kbench_cpu {

struct NormRows {
  Shape leading;     // the dimensions that are not normalised over
  Shape normalised;  // those that are
  Shape statistics;  // of mean and rstd: leading, and 1 for each of normalised
};

// False where input does not end with normalized_shape.
inline bool split_rows(const Tensor& input, ArrayRef<int64_t> normalized_shape, NormRows& rows) {
  const auto inner = static_cast<int64_t>(normalized_shape.size());
  const int64_t outer = input.dim() - inner;
  if (inner == 0 || outer < 0) return false;
  rows.statistics = shape_of(input);
  for (int64_t i = 0; i < input.dim(); ++i) {
    Shape& part = i < outer ? rows.leading : rows.normalised;
    part.append(input.size(i));
    if (i < outer) continue;
    if (input.size(i) != normalized_shape[static_cast<size_t>(i - outer)]) return false;
    rows.statistics.sizes[i] = 1;
  }
  return true;
}

// Of weight and bias: nothing, or a tensor of the normalised sizes and input's element type.
inline bool fits(const std::optional<Tensor>& parameter, const Tensor& input,
                 const Shape& normalised) {
  if (!parameter) return true;
  bool does = parameter->scalar_type() == input.scalar_type() && rank(*parameter) == normalised.dim;
  for (int i = 0; does && i < normalised.dim; ++i) does = parameter->size(i) == normalised.sizes[i];
  return does;
}

inline bool resize(KernelRuntimeContext& context, const Tensor& input, const NormRows& rows,
                   std::tuple<Tensor&, Tensor&, Tensor&> out) {
  return resize(context, std::get<0>(out), shape_of(input)) &&
         resize(context, std::get<1>(out), rows.statistics) &&
         resize(context, std::get<2>(out), rows.statistics);
}

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_NORM_ROWS_H_
