// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header of this name: conversions alone, the compiler's own
// where they are quick.
#ifndef KBENCH_EMULATION_CUDA_FP16_H_
#define KBENCH_EMULATION_CUDA_FP16_H_

#include "cuda_runtime.h"

struct __half {
  _Float16 value;
};
struct alignas(4) __half2 {
  __half x, y;
};

// The magnitude's bits are those of a float whose exponent is 112 too small, but for infinity.
inline float __half2float(__half x) {
  uint16_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const unsigned sign = (bits & 0x8000u) << 16, magnitude = (bits & 0x7fffu) << 13;
  const bool is_finite = magnitude < 0x7c00u << 13;
  const unsigned rebiased = __float_as_uint(__uint_as_float(magnitude) * 0x1p112f);
  return __uint_as_float(sign | (is_finite ? rebiased : magnitude | 0x7f800000u));
}
inline __half __float2half_rn(float x) { return {static_cast<_Float16>(x)}; }
inline float2 __half22float2(__half2 x) { return {__half2float(x.x), __half2float(x.y)}; }
inline __half2 __floats2half2_rn(float x, float y) {
  return {__float2half_rn(x), __float2half_rn(y)};
}

#endif  // KBENCH_EMULATION_CUDA_FP16_H_
