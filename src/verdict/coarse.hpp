// Whether a float32 output was rounded to 16 bits, whatever its errors are allowed to be: what a
// definition returns in float32 is kept there for those who add up many of them.
#pragma once

#include <optional>

#include "problem/tensor_view.hpp"

namespace kbench {

// The dtype of 16 bits that nine in ten elements of `output` are numbers of, among those whose
// native answer is none: by chance one in 2^13 is. Nothing where fewer than eight elements count.
// Both have one shape.
std::optional<DType> rounded_to(const TensorView& output, const TensorView& native);

}  // namespace kbench
