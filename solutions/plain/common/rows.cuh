// SPDX-License-Identifier: Apache-2.0
// One block works on one row; what its threads found is combined as a tree in shared memory.
#ifndef PLAIN_ROWS_CUH_
#define PLAIN_ROWS_CUH_

#include "numbers.cuh"

constexpr int kThreads = 256;  // of a block, a power of two

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Highest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// All threads of the block get the answer.
template <typename Operation>
__device__ float combine(float mine, Operation operation) {
  __shared__ float found[kThreads];
  found[threadIdx.x] = mine;
  __syncthreads();
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance)
      found[threadIdx.x] = operation(found[threadIdx.x], found[threadIdx.x + distance]);
    __syncthreads();
  }
  const float answer = found[0];
  __syncthreads();  // before the next call writes there
  return answer;
}

#endif  // PLAIN_ROWS_CUH_
