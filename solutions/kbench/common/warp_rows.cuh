// SPDX-License-Identifier: Apache-2.0
// Rows in the registers of a warp each: kHeld vectors a lane, no shared memory.
#ifndef KBENCH_WARP_ROWS_CUH_
#define KBENCH_WARP_ROWS_CUH_

#include "reduce.cuh"
#include "vectors.cuh"

constexpr int kRowsOfBlock = 4, kThreads = kRowsOfBlock * kWarp;

// The row of this warp; all lanes of a warp have the same.
__device__ __forceinline__ int64_t row_of_warp() {
  return static_cast<int64_t>(blockIdx.x) * kRowsOfBlock + threadIdx.x / kWarp;
}

template <typename T, int kHeld>
struct WarpRow {
  static constexpr int width = Vector<T>::width;
  Vector<T> held[kHeld];
  static __device__ __forceinline__ int column(int v) {
    return (v * kWarp + static_cast<int>(threadIdx.x) % kWarp) * width;
  }
  // Elements beyond the row are `beyond`.
  __device__ __forceinline__ void load(const T* row, int n, float beyond) {
#pragma unroll
    for (int v = 0; v < kHeld; ++v) {
      if (column(v) < n) {
        held[v].load(row + column(v));
      } else {
#pragma unroll
        for (int i = 0; i < width; ++i) held[v].x[i] = beyond;
      }
    }
  }
};

// Calls work(Held<N>{}) with the smallest N that holds a row of so many vectors.
template <int kHeldOf>
struct Held {
  static constexpr int value = kHeldOf;
};
template <typename Work>
void with_held(int64_t row_vectors, Work work) {
  const int64_t vectors = (row_vectors + kWarp - 1) / kWarp;
  if (vectors <= 4) return work(Held<4>{});
  if (vectors <= 6) return work(Held<6>{});
  if (vectors <= 8) return work(Held<8>{});
  if (vectors <= 10) return work(Held<10>{});
  KBENCH_CHECK(vectors <= 16, "rows must have at most 8192 bytes");
  work(Held<16>{});
}

#endif  // KBENCH_WARP_ROWS_CUH_
