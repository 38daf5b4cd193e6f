// SPDX-License-Identifier: Apache-2.0
// C[M, N] = A[M, K] * B[N, K]^T: every element is one dot product in float32.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

float dot(const float* a, const float* b, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <typename T>
void multiply(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k) {
  std::vector<float> wide_a(static_cast<size_t>(m * k));
  for (int64_t i = 0; i < m * k; ++i) wide_a[i] = to_float(a[i]);
#pragma omp parallel for
  for (int64_t j = 0; j < n; ++j) {
    std::vector<float> row(static_cast<size_t>(k));
    for (int64_t i = 0; i < k; ++i) row[i] = to_float(b[j * k + i]);
    for (int64_t i = 0; i < m; ++i) from_float(dot(&wide_a[i * k], row.data(), k), &c[i * n + j]);
  }
}

void gemm(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
  const bool known = with_element_type(a.dtype(), [&](auto element) {
    using T = decltype(element);
    multiply(a.data<T>(), b.data<T>(), c.data<T>(), a.size(0), b.size(0), a.size(1));
  });
  KBENCH_CHECK(known, "gemm: unsupported dtype");
}

}  // namespace

KBENCH_EXPORT(run, gemm)
