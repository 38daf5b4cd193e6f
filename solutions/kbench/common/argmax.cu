// SPDX-License-Identifier: Apache-2.0
// The column of a row's highest score, the first of equals. A batch has few rows, so blocks share
// one: each brings its best as a 64-bit number, the greater the better, to an atomic maximum in the
// output itself, where a last launch leaves the column.
#include "reduce.cuh"
#include "vectors.cuh"

namespace {

using Key = unsigned long long;

constexpr int kThreads = 256, kWarps = kThreads / kWarp;
constexpr int kVectors = 4;  // of a thread
constexpr int kPart = kThreads * kVectors * Vector<float>::width;
constexpr unsigned kNoColumn = 0xffffffff;

// Ordered as scores are, what is no number highest (as torch has it); of equals the first.
__device__ __forceinline__ Key key_of(float score, unsigned column) {
  const unsigned bits = __float_as_uint(score + 0.0f);  // -0 is 0
  unsigned ordered = bits & 0x80000000 ? ~bits : bits | 0x80000000;
  if (score != score) ordered = 0xffffffff;
  return static_cast<Key>(ordered) << 32 | (kNoColumn - column);
}

__device__ __forceinline__ Key better(Key a, Key b) { return a > b ? a : b; }

__device__ __forceinline__ Key best_of_warp(Key key) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    key = better(key, __shfl_xor_sync(kAllLanes, key, distance));
  return key;
}

__global__ void __launch_bounds__(kThreads) find(const float* logits, Key* best, int64_t n) {
  constexpr int width = Vector<float>::width;
  __shared__ Key found[kWarps];
  const float* row = logits + blockIdx.x * n;
  const int64_t first = static_cast<int64_t>(blockIdx.y) * kPart + threadIdx.x * width;
  Vector<float> scores[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v)  // all on their way before the first is looked at
    if (first + v * kThreads * width < n) scores[v].load(row + first + v * kThreads * width);
  Key key = 0;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int64_t column = first + v * kThreads * width;
#pragma unroll
    for (int i = 0; i < width; ++i)
      if (column < n) key = better(key, key_of(scores[v].x[i], static_cast<unsigned>(column + i)));
  }
  key = best_of_warp(key);
  const int lane = threadIdx.x % kWarp;
  if (lane == 0) found[threadIdx.x / kWarp] = key;
  __syncthreads();
  key = best_of_warp(lane < kWarps ? found[lane] : 0);
  if (threadIdx.x == 0) atomicMax(&best[blockIdx.x], key);
}

__global__ void __launch_bounds__(kThreads) keep_columns(Key* best, int64_t rows) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (row < rows) best[row] = kNoColumn - static_cast<unsigned>(best[row]);
}

void run(kbench::Tensor logits, kbench::Tensor tokens) {
  KBENCH_CHECK(logits.dtype() == kbench::kFloat32, "argmax: scores must be float32");
  check_vectors({logits});
  const int64_t rows = logits.size(0), n = logits.size(1);
  KBENCH_CHECK(n < kNoColumn, "argmax: too many columns");
  Key* best = tokens.data<Key>();
  const cudaStream_t stream = kbench::stream_of(logits);
  kbench::check_cuda(cudaMemsetAsync(best, 0, static_cast<size_t>(rows) * sizeof(Key), stream));
  const dim3 grid(static_cast<unsigned>(rows), blocks_for(n, kPart));
  find<<<grid, kThreads, 0, stream>>>(logits.data<float>(), best, n);
  kbench::check_launch();
  keep_columns<<<blocks_for(rows, kThreads), kThreads, 0, stream>>>(best, rows);
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
