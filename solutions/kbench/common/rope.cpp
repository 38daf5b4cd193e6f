// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding (halves rotated, base 500000) of bfloat16 queries and keys. The angles
// of a token are computed once and serve all of its heads; tokens are shared out among threads.
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

#define KB_KERNEL "rope.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

constexpr int64_t kMaxHalf = 512;

std::vector<float> inverse_frequencies(int64_t half) {
  std::vector<float> result(static_cast<size_t>(half));
  for (int64_t i = 0; i < half; ++i)
    result[i] = 1.0f / std::pow(500000.0f, static_cast<float>(i) / static_cast<float>(half));
  return result;
}

void rope(Tensor q, Tensor k, Tensor positions, Tensor q_out, Tensor k_out) {
  const int64_t half = q.size(2) / 2, q_heads = q.size(1), k_heads = k.size(1);
  KBENCH_CHECK(q.dtype() == kbench::kBFloat16 && k.dtype() == kbench::kBFloat16,
               "rope: unsupported dtype");
  KBENCH_CHECK(half <= kMaxHalf, "rope: head_dim is too large");
  const std::vector<float> frequencies = inverse_frequencies(half);
  const auto rotate = KB_PICK(rotate_heads);
  parallel(q.size(0), 4, [&](int64_t begin, int64_t end) {
    float cosines[kMaxHalf], sines[kMaxHalf];
    for (int64_t t = begin; t < end; ++t) {
      const float position = static_cast<float>(positions.data<int64_t>()[t]);
      for (int64_t i = 0; i < half; ++i) {
        cosines[i] = std::cos(position * frequencies[i]);
        sines[i] = std::sin(position * frequencies[i]);
      }
      const int64_t q_at = t * q_heads * 2 * half, k_at = t * k_heads * 2 * half;
      rotate(q.data<BF16>() + q_at, q_out.data<BF16>() + q_at, cosines, sines, q_heads, half);
      rotate(k.data<BF16>() + k_at, k_out.data<BF16>() + k_at, cosines, sines, k_heads, half);
    }
  });
}

}  // namespace

KBENCH_EXPORT(run, rope)
