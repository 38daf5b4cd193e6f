// SPDX-License-Identifier: Apache-2.0
// The column of a row's highest score, the first of equals: a block a row.
#include "numbers.cuh"

namespace {

constexpr int kThreads = 512;

struct Best {
  float score;
  int64_t column;
};

// Whether `a` goes before `b`. What is no number is highest, as torch has it.
__device__ bool is_better(Best a, Best b) {
  const bool a_is_nan = a.score != a.score, b_is_nan = b.score != b.score;
  if (a_is_nan != b_is_nan) return a_is_nan;
  if (!a_is_nan && a.score != b.score) return a.score > b.score;
  return a.column < b.column;
}

__global__ void argmax(const float* logits, int64_t* tokens, int64_t n) {
  __shared__ float scores[kThreads];
  __shared__ int64_t columns[kThreads];
  const int me = threadIdx.x;
  const float* row = logits + blockIdx.x * n;
  Best best{-INFINITY, n};
  for (int64_t i = me; i < n; i += kThreads) {
    const Best here{row[i], i};
    if (is_better(here, best)) best = here;
  }
  scores[me] = best.score;
  columns[me] = best.column;
  __syncthreads();
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (me < distance) {
      const Best other{scores[me + distance], columns[me + distance]};
      if (is_better(other, {scores[me], columns[me]})) {
        scores[me] = other.score;
        columns[me] = other.column;
      }
    }
    __syncthreads();
  }
  if (me == 0) tokens[blockIdx.x] = columns[0];
}

void run(kbench::Tensor logits, kbench::Tensor tokens) {
  KBENCH_CHECK(logits.dtype() == kbench::kFloat32, "argmax: scores must be float32");
  const unsigned rows = static_cast<unsigned>(logits.size(0));
  argmax<<<rows, kThreads, 0, kbench::stream_of(logits)>>>(logits.data<float>(),
                                                           tokens.data<int64_t>(), logits.size(1));
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)
