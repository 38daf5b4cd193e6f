// SPDX-License-Identifier: Apache-2.0
// C[M, N] = A[M, K] * B[N, K]^T on the tensor cores. A block has a tile of C, its warps parts of
// it. Slices of A and B, kK deep, come to shared memory by asynchronous copies, kStages - 1 ahead
// of the one that is multiplied. In a row of a slice the 16-byte chunks are exchanged by the row's
// number (exclusive or), so that the eight rows of a matrix that ldmatrix reads lie in different
// banks. What reaches beyond the matrices is zero.
#include "ptx.cuh"
#include "vectors.cuh"

namespace {

constexpr int kWarp = 32, kChunk = 8;  // elements of 16 bytes

struct Sizes {
  int64_t m, n, k;
};

template <int kRowsOf, int kColumnsOf, int kDepthOf, int kWarpsDownOf, int kWarpsAcrossOf>
struct Shape {
  static constexpr int kM = kRowsOf, kN = kColumnsOf, kK = kDepthOf;
  static constexpr int kWarpsDown = kWarpsDownOf, kWarpsAcross = kWarpsAcrossOf;
  static constexpr int kThreads = kWarpsDown * kWarpsAcross * kWarp;
  static constexpr int kStageBytes = (kM + kN) * kK * 2;
  static constexpr int kStages = 48 * 1024 / kStageBytes;  // what needs no permission
  static constexpr int kTall = kM / kWarpsDown / 16;       // a warp's tiles of 16 rows
  static constexpr int kWide = kN / kWarpsAcross / 8;      // and of 8 columns
  static_assert(kStages >= 2 && kTall >= 1 && kWide % 2 == 0 && kK % 64 == 0, "");
};
// Few rows: many narrow blocks, to read B from all over the chip. More rows: squarer tiles.
using Narrow = Shape<16, 32, 128, 1, 2>;
using Square = Shape<64, 64, 64, 2, 2>;

// A slice in shared memory: rows of kK elements.
template <typename S, typename T>
__device__ __forceinline__ T* chunk_of(T* slice, int row, int chunk) {
  return slice + row * S::kK + (chunk ^ (row % 8)) * kChunk;
}

template <typename T>
struct Matrix {
  const T* data;
  int64_t rows, columns;
};

// Starts the copies of kRows rows from `first_row`, kK columns from `first_column`.
template <typename S, int kRows, typename T>
__device__ __forceinline__ void fetch(T* slice, const Matrix<T>& from, int64_t first_row,
                                      int64_t first_column) {
  constexpr int chunks = S::kK / kChunk;
  static_assert(kRows * chunks % S::kThreads == 0, "");
#pragma unroll
  for (int i = 0; i < kRows * chunks / S::kThreads; ++i) {
    const int item = i * S::kThreads + static_cast<int>(threadIdx.x);
    const int row = item / chunks, chunk = item % chunks;
    const int64_t column = first_column + chunk * kChunk;
    const bool is_inside = first_row + row < from.rows && column < from.columns;
    const T* source = from.data + (is_inside ? (first_row + row) * from.columns + column : 0);
    copy16_async(chunk_of<S>(slice, row, chunk), source, is_inside ? 16 : 0);
  }
}

template <typename S>
struct Accumulators {
  float of[S::kTall][S::kWide][4];
};

// Multiplies one slice of A by one of B: of each 16 columns the fragments, then all pairs of them.
template <typename S, typename T>
__device__ __forceinline__ void multiply_slice(const T* a, const T* b, Accumulators<S>& sums) {
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int top = warp / S::kWarpsAcross * S::kTall * 16;
  const int left = warp % S::kWarpsAcross * S::kWide * 8;
#pragma unroll
  for (int chunk = 0; chunk < S::kK / kChunk; chunk += 2) {
    uint32_t rows[S::kTall][4], columns[S::kWide / 2][4];
#pragma unroll
    for (int i = 0; i < S::kTall; ++i)  // 8 rows, the next 8, then the same of the second chunk
      load_matrices(rows[i], chunk_of<S>(a, top + 16 * i + lane % 16, chunk + lane / 16));
#pragma unroll
    for (int j = 0; j < S::kWide / 2; ++j)  // both chunks of 8 columns, then of the next 8
      load_matrices(columns[j],
                    chunk_of<S>(b, left + 16 * j + lane / 16 * 8 + lane % 8, chunk + lane / 8 % 2));
#pragma unroll
    for (int i = 0; i < S::kTall; ++i)
#pragma unroll
      for (int j = 0; j < S::kWide; ++j)
        multiply_add<T>(sums.of[i][j], rows[i],
                        {columns[j / 2][j % 2 * 2], columns[j / 2][j % 2 * 2 + 1]});
  }
}

// A lane has two neighbours of row lane / 4 of each 16 x 8 tile, and two of the row 8 below.
template <typename S, typename T>
__device__ __forceinline__ void store(const Accumulators<S>& sums, T* c, Sizes size) {
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const int64_t top =
      static_cast<int64_t>(blockIdx.x) * S::kM + warp / S::kWarpsAcross * S::kTall * 16 + lane / 4;
  const int64_t left = static_cast<int64_t>(blockIdx.y) * S::kN +
                       warp % S::kWarpsAcross * S::kWide * 8 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < S::kTall * 2; ++i)
#pragma unroll
    for (int j = 0; j < S::kWide; ++j) {
      const int64_t row = top + 8 * i, column = left + 8 * j;
      const float* pair = &sums.of[i / 2][j][i % 2 * 2];
      if (row < size.m && column < size.n)
        *reinterpret_cast<typename Pair<T>::type*>(c + row * size.n + column) =
            Pair<T>::of(pair[0], pair[1]);
    }
}

template <typename T, typename S>
__global__ void __launch_bounds__(S::kThreads) gemm(const T* a, const T* b, T* c, Sizes size) {
  extern __shared__ uint4 slices[];
  T* const slice_a = reinterpret_cast<T*>(slices);
  T* const slice_b = slice_a + S::kStages * S::kM * S::kK;
  const int count = static_cast<int>((size.k + S::kK - 1) / S::kK);
  const int64_t top = static_cast<int64_t>(blockIdx.x) * S::kM;
  const int64_t left = static_cast<int64_t>(blockIdx.y) * S::kN;
  const auto fetch_both = [&](int number) {
    const int stage = number % S::kStages;
    const int64_t column = static_cast<int64_t>(number) * S::kK;
    if (number < count) {
      fetch<S, S::kM>(slice_a + stage * S::kM * S::kK, Matrix<T>{a, size.m, size.k}, top, column);
      fetch<S, S::kN>(slice_b + stage * S::kN * S::kK, Matrix<T>{b, size.n, size.k}, left, column);
    }
    close_copies();  // an empty group where there is no slice left, so that the count is right
  };
  Accumulators<S> sums = {};
  for (int number = 0; number < S::kStages - 1; ++number) fetch_both(number);
  for (int number = 0; number < count; ++number) {
    await_copies<S::kStages - 2>();  // this thread's part of the slice is there
    __syncthreads();  // all parts are, and everybody is done with the stage that is filled next
    fetch_both(number + S::kStages - 1);
    const int stage = number % S::kStages;
    multiply_slice<S>(slice_a + stage * S::kM * S::kK, slice_b + stage * S::kN * S::kK, sums);
  }
  await_copies<0>();
  store<S>(sums, c, size);
}

template <typename T, typename S>
void launch(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
  const Sizes size{a.size(0), b.size(0), a.size(1)};
  const dim3 grid(blocks_for(size.m, S::kM), blocks_for(size.n, S::kN));
  gemm<T, S><<<grid, S::kThreads, S::kStages * S::kStageBytes, kbench::stream_of(a)>>>(
      a.data<T>(), b.data<T>(), c.data<T>(), size);
}

void run(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
  check_vectors({a, b});
  KBENCH_CHECK(c.contiguous() && c.size(1) % 2 == 0, "gemm: C must have an even number of columns");
  with_half_type(a.dtype(), [&](auto element) {
    using T = decltype(element);
    if (a.size(0) <= Narrow::kM)
      launch<T, Narrow>(a, b, c);
    else
      launch<T, Square>(a, b, c);
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
