// SPDX-License-Identifier: Apache-2.0
// Layer normalisation in two passes: the mean, then the variance about it.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

template <typename T>
void normalise(const T* x, const T* weight, const T* bias, double eps, T* out, int64_t n) {
  std::vector<float> row(static_cast<size_t>(n));
  float total = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) total += row[i] = to_float(x[i]);
  const float mean = total / static_cast<float>(n);
  for (int64_t i = 0; i < n; ++i) squares += (row[i] - mean) * (row[i] - mean);
  const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + static_cast<float>(eps));
  for (int64_t i = 0; i < n; ++i)
    from_float((row[i] - mean) * scale * to_float(weight[i]) + to_float(bias[i]), &out[i]);
}

void layernorm(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor bias, double eps,
               kbench::Tensor out) {
  const int64_t n = x.size(-1), rows = x.numel() / n;
  const bool known = with_element_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    for (int64_t r = 0; r < rows; ++r)
      normalise(x.data<T>() + r * n, weight.data<T>(), bias.data<T>(), eps, out.data<T>() + r * n,
                n);
  });
  KBENCH_CHECK(known, "layernorm: unsupported dtype");
}

}  // namespace

KBENCH_EXPORT(run, layernorm)
