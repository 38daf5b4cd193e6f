// SPDX-License-Identifier: Apache-2.0
// Quantisation of bfloat16 rows: float8_e4m3fn with a scale for each block, int8 with one a row.
#include "kbench_ffi.h"
#include "numbers.h"

namespace {

using kbench::Tensor;

float highest_magnitude(const BFloat* x, int64_t n, float least) {
  float highest = least;
  for (int64_t i = 0; i < n; ++i) highest = std::fmax(highest, std::fabs(to_float(x[i])));
  return highest;
}

float clamped(float x, float limit) { return std::fmin(std::fmax(x, -limit), limit); }

void quantize_fp8(Tensor input, Tensor codes, Tensor scale) {
  const int64_t blocks = scale.numel(), n = input.numel() / blocks;
  for (int64_t block = 0; block < blocks; ++block) {
    const BFloat* x = input.data<BFloat>() + block * n;
    const float s = highest_magnitude(x, n, 1e-4f) * static_cast<float>(1.0 / 448.0);
    scale.data<float>()[block] = s;
    for (int64_t i = 0; i < n; ++i)
      from_float(clamped(to_float(x[i]) / s, 448.0f), &codes.data<Float8>()[block * n + i]);
  }
}

void quantize_int8(Tensor input, Tensor codes, Tensor scale) {
  const int64_t rows = scale.numel(), n = input.numel() / rows;
  for (int64_t row = 0; row < rows; ++row) {
    const BFloat* x = input.data<BFloat>() + row * n;
    const float s = highest_magnitude(x, n, 1e-5f) * static_cast<float>(1.0 / 127.0);
    scale.data<float>()[row] = s;
    for (int64_t i = 0; i < n; ++i)
      codes.data<int8_t>()[row * n + i] =
          static_cast<int8_t>(clamped(std::nearbyint(to_float(x[i]) / s), 127.0f));
  }
}

}  // namespace

KBENCH_EXPORT(quantize_fp8, quantize_fp8)
KBENCH_EXPORT(quantize_int8, quantize_int8)
