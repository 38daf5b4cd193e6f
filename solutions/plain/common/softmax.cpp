// SPDX-License-Identifier: Apache-2.0
// Softmax of rows into float32: subtract the highest score, exponentiate, divide by the sum.
#include "kbench_ffi.h"
#include "numbers.h"

namespace {

template <typename T>
void row_softmax(const T* x, float temperature, float* out, int64_t n) {
  float highest = -INFINITY;
  double sum = 0;  // in float32 a long row's small terms would be lost
  for (int64_t i = 0; i < n; ++i) highest = std::fmax(highest, to_float(x[i]) / temperature);
  for (int64_t i = 0; i < n; ++i) sum += out[i] = std::exp(to_float(x[i]) / temperature - highest);
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / sum);
}

void softmax_temperature(kbench::Tensor x, double temperature, kbench::Tensor out) {
  const int64_t n = x.size(-1), rows = x.numel() / n;
  const bool known = with_element_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    for (int64_t r = 0; r < rows; ++r)
      row_softmax(x.data<T>() + r * n, static_cast<float>(temperature), out.data<float>() + r * n,
                  n);
  });
  KBENCH_CHECK(known, "softmax: unsupported dtype");
}

void softmax(kbench::Tensor x, kbench::Tensor out) { softmax_temperature(x, 1.0, out); }

}  // namespace

KBENCH_EXPORT(softmax, softmax)
KBENCH_EXPORT(softmax_temperature, softmax_temperature)
