// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header of this name: the words of CUDA that the shipped solutions use, as
// C++ on the emulator. emulate.py has rewritten what is no C++ (launches, __shared__).
#ifndef KBENCH_EMULATION_CUDA_RUNTIME_H_
#define KBENCH_EMULATION_CUDA_RUNTIME_H_

#include <cmath>
#include <cstring>

#include "emulator.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

// The host's side.
using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0, cudaErrorLaunchFailure = 719 };

namespace emulation {
inline const char* last_text = "no error";
}
inline cudaError_t cudaGetLastError() {
  const char* text = emulation::take_error();
  if (text != nullptr) emulation::last_text = text;
  return text == nullptr ? cudaSuccess : cudaErrorLaunchFailure;
}
inline const char* cudaGetErrorString(cudaError_t) { return emulation::last_text; }
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  emulation::submit([=] { std::memset(to, value, bytes); }, stream);
  return cudaSuccess;
}
inline void __trap() { emulation::fail("a trap"); }

#ifdef KBENCH_EMULATION_DEVICE
constexpr unsigned cudaStreamNonBlocking = 1;
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  static intptr_t streams = 0;
  *stream = reinterpret_cast<void*>(++streams);
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** memory, size_t bytes) {
  unsigned long long address = 0;
  const int error = cuMemAlloc_v2(&address, bytes);
  *memory = reinterpret_cast<void*>(address);
  if (error != 0) emulation::last_text = "out of memory";
  return static_cast<cudaError_t>(error);
}
inline cudaError_t cudaDeviceSynchronize() { return static_cast<cudaError_t>(fake_synchronize()); }
#endif

// Barriers and warp collectives.
inline void __syncthreads(int line = __builtin_LINE()) { emulation::block_barrier(line); }
inline void __syncwarp(uint32_t mask = 0xffffffff) {
  emulation::collective([](const emulation::Lane*, uint32_t) {}, mask, {});
}

namespace emulation {
template <typename T>
T from_lane(uint32_t mask, const T& value, int source) {
  T result;
  const auto copy = [](const Lane* lanes, uint32_t in_mask) {
    for (int i = 0; i < 32; ++i) {
      if (!(in_mask >> i & 1)) continue;
      if (!(in_mask >> lanes[i].argument & 1)) fail("a shuffle from a lane that takes no part");
      std::memcpy(lanes[i].out, lanes[lanes[i].argument].in, sizeof(T));
    }
  };
  collective(copy, mask, {&value, &result, source});
  return result;
}
}  // namespace emulation

template <typename T>
T __shfl_sync(uint32_t mask, T value, int source) {
  return emulation::from_lane(mask, value, source & 31);
}
template <typename T>
T __shfl_xor_sync(uint32_t mask, T value, int distance) {
  return emulation::from_lane(mask, value, (emulation::lane_index() ^ distance) & 31);
}
template <typename T>
T __shfl_down_sync(uint32_t mask, T value, unsigned distance) {
  const int source = emulation::lane_index() + static_cast<int>(distance);
  return emulation::from_lane(mask, value, source < 32 ? source : emulation::lane_index());
}

// One fiber runs at a time, so that an atomic operation is one.
template <typename T>
T atomicMax(T* place, T value) {
  const T before = *place;
  if (value > before) *place = value;
  return before;
}

// Arithmetic.
template <typename T>
T __ldg(const T* place) {
  return *place;
}
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline int __float2int_rn(float x) { return static_cast<int>(std::nearbyint(x)); }
inline unsigned __float_as_uint(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

#endif  // KBENCH_EMULATION_CUDA_RUNTIME_H_
