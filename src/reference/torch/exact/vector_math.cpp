#include "reference/torch/exact/vector_math.hpp"

#include <ATen/ATen.h>

namespace kbench {

void settle_vector_math() {
  for (const auto dtype : {at::kFloat, at::kDouble}) {
    const at::Tensor x = at::full({1}, 0.5, dtype);
    for (const auto function :
         {&at::acos, &at::asin, &at::atan, &at::cos, &at::erf, &at::erfc, &at::erfinv, &at::exp,
          &at::log, &at::log10, &at::log2, &at::sin, &at::sqrt, &at::tan, &at::tanh, &at::trunc})
      function(x);
  }
}

}  // namespace kbench
