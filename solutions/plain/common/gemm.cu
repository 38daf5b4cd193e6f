// SPDX-License-Identifier: Apache-2.0
// C[M, N] = A[M, K] * B[N, K]^T: a block a tile of C, a thread an element. Tiles of A and B come
// through shared memory, zeros where they reach beyond the matrices.
#include "numbers.cuh"

namespace {

constexpr int kTile = 16;

struct Sizes {
  int64_t m, n, k;
};

template <typename T>
__device__ float element(const T* x, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  return row < rows && column < columns ? to_float(x[row * columns + column]) : 0.0f;
}

template <typename T>
__global__ void gemm(const T* a, const T* b, T* c, Sizes size) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile + 1];  // a column's elements in different banks
  const int x = threadIdx.x, y = threadIdx.y;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kTile;
  const int64_t column = static_cast<int64_t>(blockIdx.y) * kTile;
  float sum = 0;
  for (int64_t k = 0; k < size.k; k += kTile) {
    tile_a[y][x] = element(a, row + y, size.m, k + x, size.k);
    tile_b[y][x] = element(b, column + y, size.n, k + x, size.k);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[x][i];
    __syncthreads();
  }
  if (row + y < size.m && column + x < size.n) from_float(sum, &c[(row + y) * size.n + column + x]);
}

void run(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
  with_element_type(a.dtype(), [&](auto element) {
    using T = decltype(element);
    const Sizes size{a.size(0), b.size(0), a.size(1)};
    const dim3 grid(blocks_for(size.m, kTile), blocks_for(size.n, kTile)), block(kTile, kTile);
    gemm<T><<<grid, block, 0, kbench::stream_of(a)>>>(a.data<T>(), b.data<T>(), c.data<T>(), size);
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
