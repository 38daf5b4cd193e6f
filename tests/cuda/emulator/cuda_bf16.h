// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header of this name: conversions alone. A bfloat16 is the upper half of a
// float, rounded to nearest even.
#ifndef KBENCH_EMULATION_CUDA_BF16_H_
#define KBENCH_EMULATION_CUDA_BF16_H_

#include "cuda_runtime.h"

struct __nv_bfloat16 {
  uint16_t bits;
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};

inline float __bfloat162float(__nv_bfloat16 x) {
  return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  const unsigned bits = __float_as_uint(x), odd = bits >> 16 & 1;
  return {static_cast<uint16_t>(x != x ? 0x7fff : (bits + 0x7fff + odd) >> 16)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 x) {
  return {__bfloat162float(x.x), __bfloat162float(x.y)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}

#endif  // KBENCH_EMULATION_CUDA_BF16_H_
