// SPDX-License-Identifier: Apache-2.0
// A solution's source as a library for bench/gpu/peer.py: its entry point is called as kbench calls
// it, on a stream that the peer names, with tensors that are allocated here.
#include <cuda_bf16.h>

#include "source.cuh"  // the solution's

namespace {

void* peer_stream = nullptr;

// Draws the same numbers each time: Box and Muller's logarithm and angle of a counter's hash.
__device__ uint32_t hash(uint64_t i) {
  i = (i ^ (i >> 31)) * 0x9e3779b97f4a7c15ull;
  i = (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9ull;
  return static_cast<uint32_t>(i >> 32);
}

__device__ float normal(uint64_t i) {
  const float u = (static_cast<float>(hash(2 * i + 1)) + 1.0f) * 0x1p-32f;
  const float v = static_cast<float>(hash(2 * i + 2)) * 0x1p-32f;
  return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

__device__ void put(float value, float* to) { *to = value; }
__device__ void put(float value, __nv_bfloat16* to) { *to = __float2bfloat16_rn(value); }

template <typename T>
__global__ void fill(T* to, uint64_t n) {
  const uint64_t i = static_cast<uint64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i < n) put(normal(i), &to[i]);
}

}  // namespace

// Returns the stream that the solution asks for, where no library of tvm-ffi gives one.
extern "C" __attribute__((visibility("default"))) void* TVMFFIEnvGetStream(int32_t, int32_t) {
  return peer_stream;
}

extern "C" __attribute__((visibility("default"))) void peer_use(void* stream) {
  peer_stream = stream;
}

// Allocates `n` random numbers of 2 or 4 bytes on the device; null where there is no memory.
extern "C" __attribute__((visibility("default"))) void* peer_allocate(uint64_t n, int bytes) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, n * static_cast<uint64_t>(bytes)) != cudaSuccess) return nullptr;
  const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
  if (bytes == 4)
    fill<float><<<blocks, 256>>>(static_cast<float*>(memory), n);
  else
    fill<__nv_bfloat16><<<blocks, 256>>>(static_cast<__nv_bfloat16*>(memory), n);
  return cudaDeviceSynchronize() == cudaSuccess ? memory : nullptr;
}

// Returns 0, or the number of the error.
extern "C" __attribute__((visibility("default"))) int peer_wait() {
  return static_cast<int>(cudaDeviceSynchronize());
}
