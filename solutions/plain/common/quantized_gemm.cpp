// SPDX-License-Identifier: Apache-2.0
// C = A * B^T for float8 codes with one scale a row and K block of A, one a block of B: each block
// of K gives a partial dot product, which is scaled and added.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

std::vector<float> widened(const Float8* codes, int64_t n) {
  float table[256];
  for (int code = 0; code < 256; ++code) table[code] = to_float(Float8{static_cast<uint8_t>(code)});
  std::vector<float> wide(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) wide[i] = table[codes[i].bits];
  return wide;
}

void quantized_gemm(kbench::Tensor a, kbench::Tensor b, kbench::Tensor a_scale,
                    kbench::Tensor b_scale, kbench::Tensor c) {
  const int64_t m = a.size(0), k = a.size(1), n = b.size(0);
  const int64_t k_blocks = a_scale.size(1), depth = k / k_blocks, height = n / b_scale.size(0);
  const std::vector<float> wide_a = widened(a.data<Float8>(), m * k);
#pragma omp parallel for
  for (int64_t j = 0; j < n; ++j) {
    const std::vector<float> row = widened(b.data<Float8>() + j * k, k);
    const float* row_scale = b_scale.data<float>() + j / height * k_blocks;
    for (int64_t i = 0; i < m; ++i) {
      const float* scale = a_scale.data<float>() + i * k_blocks;
      float sum = 0;
      for (int64_t g = 0; g < k_blocks; ++g) {
        float partial = 0;
#pragma omp simd reduction(+ : partial)
        for (int64_t x = g * depth; x < (g + 1) * depth; ++x) partial += wide_a[i * k + x] * row[x];
        sum += partial * scale[g] * row_scale[g];
      }
      from_float(sum, &c.data<BFloat>()[i * n + j]);
    }
  }
}

}  // namespace

KBENCH_EXPORT(run, quantized_gemm)
