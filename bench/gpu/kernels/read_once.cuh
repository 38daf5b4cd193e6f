// SPDX-License-Identifier: Apache-2.0
// The highest number of each row of 1024: a warp a row, every byte is read once. What comes out of
// the cache was there before.
#ifndef READ_ONCE_CUH_
#define READ_ONCE_CUH_

#include "kbench_cuda.h"

constexpr int kLanes = 32, kRowsOfBlock = 8, kColumns = 1024;

__global__ void read_once(const float4* x, float* y, int64_t rows) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsOfBlock + threadIdx.x / kLanes;
  if (row >= rows) return;
  float highest = -INFINITY;
  for (int i = lane; i < kColumns / 4; i += kLanes) {
    const float4 four = x[row * (kColumns / 4) + i];
    highest = fmaxf(highest, fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)));
  }
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, distance));
  if (lane == 0) y[row] = highest;
}

inline unsigned read_once_blocks(int64_t rows) {
  return static_cast<unsigned>((rows + kRowsOfBlock - 1) / kRowsOfBlock);
}

#endif  // READ_ONCE_CUH_
