// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, base 500000: feature i and feature i + head_dim / 2 of every head are
// one pair, rotated by position * base^(-2 i / head_dim).
#include "kbench_ffi.h"
#include "numbers.h"

namespace {

void rotate(const kbench::Tensor& x, const kbench::Tensor& positions, const kbench::Tensor& out) {
  const int64_t heads = x.size(1), half = x.size(2) / 2;
  for (int64_t row = 0; row < x.size(0) * heads; ++row) {
    const float position = static_cast<float>(positions.data<int64_t>()[row / heads]);
    const BFloat* in = x.data<BFloat>() + row * 2 * half;
    BFloat* to = out.data<BFloat>() + row * 2 * half;
    for (int64_t i = 0; i < half; ++i) {
      const float exponent = static_cast<float>(i) / static_cast<float>(half);
      const float angle = position * (1.0f / std::pow(500000.0f, exponent));
      const float cosine = std::cos(angle), sine = std::sin(angle);
      const float first = to_float(in[i]), second = to_float(in[half + i]);
      from_float(first * cosine - second * sine, &to[i]);
      from_float(second * cosine + first * sine, &to[half + i]);
    }
  }
}

void rope(kbench::Tensor q, kbench::Tensor k, kbench::Tensor positions, kbench::Tensor q_out,
          kbench::Tensor k_out) {
  rotate(q, positions, q_out);
  rotate(k, positions, k_out);
}

}  // namespace

KBENCH_EXPORT(run, rope)
