// SPDX-License-Identifier: Apache-2.0
// Sixteen bytes of a row at once, as floats: four float32 or eight of sixteen bits.
#ifndef KBENCH_VECTORS_CUH_
#define KBENCH_VECTORS_CUH_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <initializer_list>

#include "kbench_cuda.h"

__device__ __forceinline__ float2 to_floats(__half2 x) { return __half22float2(x); }
__device__ __forceinline__ float2 to_floats(__nv_bfloat162 x) { return __bfloat1622float2(x); }

// Two elements of T.
template <typename T>
struct Pair;
template <>
struct Pair<__half> {
  using type = __half2;
  static __device__ __forceinline__ type of(float x, float y) { return __floats2half2_rn(x, y); }
};
template <>
struct Pair<__nv_bfloat16> {
  using type = __nv_bfloat162;
  static __device__ __forceinline__ type of(float x, float y) {
    return __floats2bfloat162_rn(x, y);
  }
};

template <typename T>
struct Vector {
  static constexpr int width = 8;
  using P = Pair<T>;
  struct alignas(16) Raw {
    typename P::type pairs[4];
  };
  float x[width];
  __device__ __forceinline__ void load(const T* from) {
    unpack(*reinterpret_cast<const Raw*>(from));
  }
  __device__ __forceinline__ void unpack(const Raw& raw) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 two = to_floats(raw.pairs[i]);
      x[2 * i] = two.x;
      x[2 * i + 1] = two.y;
    }
  }
  __device__ __forceinline__ void store(T* to) const {
    Raw raw;
#pragma unroll
    for (int i = 0; i < 4; ++i) raw.pairs[i] = P::of(x[2 * i], x[2 * i + 1]);
    *reinterpret_cast<Raw*>(to) = raw;
  }
};

template <>
struct Vector<float> {
  static constexpr int width = 4;
  float x[width];
  __device__ __forceinline__ void load(const float* from) {
    const float4 raw = *reinterpret_cast<const float4*>(from);
    x[0] = raw.x, x[1] = raw.y, x[2] = raw.z, x[3] = raw.w;
  }
  __device__ __forceinline__ void store(float* to) const {
    *reinterpret_cast<float4*>(to) = make_float4(x[0], x[1], x[2], x[3]);
  }
};

// Rows of 16-byte vectors: whole ones, from an address that is a multiple of 16.
inline void check_vectors(std::initializer_list<kbench::Tensor> tensors) {
  for (const kbench::Tensor& tensor : tensors) {
    const int64_t bytes = tensor.size(-1) * tensor.dtype().bits / 8;
    KBENCH_CHECK(tensor.contiguous(), "tensors must be contiguous");
    KBENCH_CHECK(bytes % 16 == 0, "rows must be a multiple of 16 bytes");
    KBENCH_CHECK(reinterpret_cast<uintptr_t>(tensor.data<char>()) % 16 == 0,
                 "tensors must begin at a multiple of 16 bytes");
  }
}

inline unsigned blocks_for(int64_t work, int64_t of_a_block) {
  return static_cast<unsigned>((work + of_a_block - 1) / of_a_block);
}

// Calls work(T{}) with the element type that `dtype` names, which has sixteen bits.
template <typename Work>
void with_half_type(kbench::DType dtype, Work work) {
  if (dtype == kbench::kFloat16) return work(__half{});
  KBENCH_CHECK(dtype == kbench::kBFloat16, "the dtype must be float16 or bfloat16");
  work(__nv_bfloat16{});
}

#endif  // KBENCH_VECTORS_CUH_
