// SPDX-License-Identifier: Apache-2.0
// Elements of each type to and from float, and a launch's choice among types.
#ifndef PLAIN_NUMBERS_CUH_
#define PLAIN_NUMBERS_CUH_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kbench_cuda.h"

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }

__device__ inline void from_float(float x, float* out) { *out = x; }
__device__ inline void from_float(float x, __half* out) { *out = __float2half_rn(x); }
__device__ inline void from_float(float x, __nv_bfloat16* out) { *out = __float2bfloat16_rn(x); }

// Calls work(T{}) with the element type that `dtype` names.
template <typename Work>
void with_element_type(kbench::DType dtype, Work work) {
  if (dtype == kbench::kFloat32) return work(float{});
  if (dtype == kbench::kFloat16) return work(__half{});
  KBENCH_CHECK(dtype == kbench::kBFloat16, "unsupported dtype");
  work(__nv_bfloat16{});
}

inline unsigned blocks_for(int64_t work, int64_t of_a_block) {
  return static_cast<unsigned>((work + of_a_block - 1) / of_a_block);
}

#endif  // PLAIN_NUMBERS_CUH_
