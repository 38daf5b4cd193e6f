// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header of this name: conversions alone, the compiler's own.
#ifndef KBENCH_EMULATION_CUDA_FP16_H_
#define KBENCH_EMULATION_CUDA_FP16_H_

#include "cuda_runtime.h"

struct __half {
  _Float16 value;
};
struct alignas(4) __half2 {
  __half x, y;
};

inline float __half2float(__half x) { return static_cast<float>(x.value); }
inline __half __float2half_rn(float x) { return {static_cast<_Float16>(x)}; }
inline float2 __half22float2(__half2 x) { return {__half2float(x.x), __half2float(x.y)}; }
inline __half2 __floats2half2_rn(float x, float y) {
  return {__float2half_rn(x), __float2half_rn(y)};
}

#endif  // KBENCH_EMULATION_CUDA_FP16_H_
