// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp, or threads of a block, found, combined: every one gets the answer.
#ifndef KBENCH_REDUCE_CUH_
#define KBENCH_REDUCE_CUH_

#include <cuda_runtime.h>

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;

struct Sum {
  static constexpr float neutral = 0.0f;
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};
struct Highest {
  static constexpr float neutral = -INFINITY;
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Among groups of kLanes neighbours.
template <int kLanes = kWarp, typename Operation>
__device__ __forceinline__ float among_lanes(float x, Operation operation) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    x = operation(x, __shfl_xor_sync(kAllLanes, x, distance));
  return x;
}

// Of a block of kWarps full warps. Each warp combines what all of them left, which saves a barrier.
// A kernel that calls it again needs a barrier of its own in between.
template <int kWarps, typename Operation>
__device__ __forceinline__ float among_threads(float x, Operation operation) {
  __shared__ float found[kWarps];
  const int lane = threadIdx.x % kWarp;
  x = among_lanes(x, operation);
  if (lane == 0) found[threadIdx.x / kWarp] = x;
  __syncthreads();
  return among_lanes(lane < kWarps ? found[lane] : Operation::neutral, operation);
}

#endif  // KBENCH_REDUCE_CUH_
