// The right answer to rmsnorm_h128, for candidates that misbehave in other ways.
#ifndef HOSTILE_RIGHT_H_
#define HOSTILE_RIGHT_H_

#include <cmath>
#include <cstring>

#include "kbench_ffi.h"

inline float widen(uint16_t bits) {
  const uint32_t u = static_cast<uint32_t>(bits) << 16;
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

inline uint16_t narrow(float f) {
  uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

inline void norm_row(const kbench::Tensor& x, const kbench::Tensor& weight,
                     const kbench::Tensor& out, int64_t row, float eps = 1e-6f) {
  const int64_t n = x.size(1);
  const uint16_t* gain = weight.data<uint16_t>();
  const uint16_t* in = x.data<uint16_t>() + row * n;
  uint16_t* to = out.data<uint16_t>() + row * n;
  float squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += widen(in[i]) * widen(in[i]);
  const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + eps);
  for (int64_t i = 0; i < n; ++i) to[i] = narrow(widen(in[i]) * scale * widen(gain[i]));
}

inline void right(const kbench::Tensor& x, const kbench::Tensor& weight,
                  const kbench::Tensor& out) {
  for (int64_t row = 0; row < x.size(0); ++row) norm_row(x, weight, out, row);
}

#endif  // HOSTILE_RIGHT_H_
