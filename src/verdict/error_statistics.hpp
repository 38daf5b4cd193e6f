// Errors of one output against its reference, all in float32 arithmetic as FlashInfer-Bench has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/tensor_view.hpp"

namespace kbench {

struct ErrorStatistics {
  std::uint64_t count = 0;
  std::uint64_t beyond = 0;  // elements with |x-y| > atol and |x-y| / (|y| + 1e-8) > rtol
  float max_absolute = 0;    // maximum over all elements; NaN where any error is NaN
  float max_relative = 0;
  bool output_has_infinity = false;
  bool output_has_nan = false;
};

// x is `output`, y `reference`: same dtype and shape. Uses several threads for large tensors; the
// result does not depend on how many.
ErrorStatistics error_statistics(const TensorView& output, const TensorView& reference, float atol,
                                 float rtol);

// Element to look at: the one beyond both tolerances with the largest absolute error, or the first
// that is infinite or NaN. `index` is the number of elements if there is none.
struct Worst {
  std::size_t index = 0;
  double output = 0;
  double reference = 0;
};
Worst worst_element(const TensorView& output, const TensorView& reference, float atol, float rtol);
Worst first_not_finite(const TensorView& output, const TensorView& reference);
// Tells of each element whether it is infinite, NaN or beyond both tolerances.
std::vector<bool> beyond_limits(const TensorView& output, const TensorView& reference, float atol,
                                float rtol);

}  // namespace kbench
