// SPDX-License-Identifier: Apache-2.0
// RMSNorm of rows, optionally of the sum of two tensors, which is then also written.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

using kbench::Tensor;

template <typename T>
void normalise(const T* x, const T* residual, const T* weight, double eps, T* out, T* sum_out,
               int64_t n) {
  std::vector<float> row(static_cast<size_t>(n));
  float squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    row[i] = to_float(x[i]) + (residual ? to_float(residual[i]) : 0.0f);
    squares += row[i] * row[i];
  }
  const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + static_cast<float>(eps));
  for (int64_t i = 0; i < n; ++i) {
    from_float(row[i] * scale * to_float(weight[i]), &out[i]);
    if (sum_out) from_float(row[i], &sum_out[i]);
  }
}

void all_rows(Tensor x, const Tensor* residual, Tensor weight, double eps, Tensor out,
              const Tensor* sum_out) {
  const int64_t n = x.size(-1), rows = x.numel() / n;
  const bool known = with_element_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    for (int64_t r = 0; r < rows; ++r)
      normalise(x.data<T>() + r * n, residual ? residual->data<T>() + r * n : nullptr,
                weight.data<T>(), eps, out.data<T>() + r * n,
                sum_out ? sum_out->data<T>() + r * n : nullptr, n);
  });
  KBENCH_CHECK(known, "rmsnorm: unsupported dtype");
}

void rmsnorm(Tensor x, Tensor weight, double eps, Tensor out) {
  all_rows(x, nullptr, weight, eps, out, nullptr);
}
void rmsnorm_1e6(Tensor x, Tensor weight, Tensor out) { rmsnorm(x, weight, 1e-6, out); }
void add_rmsnorm_1e5(Tensor x, Tensor residual, Tensor weight, Tensor out) {
  all_rows(x, &residual, weight, 1e-5, out, nullptr);
}
void add_rmsnorm_residual(Tensor x, Tensor residual, Tensor weight, double eps, Tensor out,
                          Tensor residual_out) {
  all_rows(x, &residual, weight, eps, out, &residual_out);
}

}  // namespace

KBENCH_EXPORT(rmsnorm, rmsnorm)
KBENCH_EXPORT(rmsnorm_1e6, rmsnorm_1e6)
KBENCH_EXPORT(add_rmsnorm_1e5, add_rmsnorm_1e5)
KBENCH_EXPORT(add_rmsnorm_residual, add_rmsnorm_residual)
