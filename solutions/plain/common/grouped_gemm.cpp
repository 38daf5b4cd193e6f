// SPDX-License-Identifier: Apache-2.0
// C[g] = A[g] * B[g] with B stored K by N: row k of B, times one element of A, is added to a row of
// float32 sums.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

template <typename T>
void row_times_matrix(const T* a, const T* b, T* c, int64_t n, int64_t k) {
  std::vector<float> sums(static_cast<size_t>(n));
  for (int64_t x = 0; x < k; ++x) {
    const float factor = to_float(a[x]);
    for (int64_t j = 0; j < n; ++j) sums[j] += factor * to_float(b[x * n + j]);
  }
  for (int64_t j = 0; j < n; ++j) from_float(sums[j], &c[j]);
}

void grouped_gemm(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
  const int64_t rows = a.size(0) * a.size(1), m = a.size(1), k = a.size(2), n = b.size(2);
  const bool known = with_element_type(a.dtype(), [&](auto element) {
    using T = decltype(element);
#pragma omp parallel for
    for (int64_t row = 0; row < rows; ++row)
      row_times_matrix(a.data<T>() + row * k, b.data<T>() + row / m * k * n, c.data<T>() + row * n,
                       n, k);
  });
  KBENCH_CHECK(known, "grouped_gemm: unsupported dtype");
}

}  // namespace

KBENCH_EXPORT(run, grouped_gemm)
