// SPDX-License-Identifier: Apache-2.0
// C[M, N] = A[M, K] * B[N, K]^T by ranks. Cut by M each multiplies its rows. Cut by K each has the
// sums over its part of K for all of C, in float32: reduce_scatter adds them up and leaves each
// rank its columns of C, which are rounded once.
#include <vector>

#include "kbench_ffi.h"
#include "kbench_rank.h"
#include "numbers.h"

namespace {

using kbench::Tensor;

float dot(const float* a, const float* b, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<float> widened(Tensor x) {
  std::vector<float> out(static_cast<size_t>(x.numel()));
  for (int64_t i = 0; i < x.numel(); ++i) out[i] = to_float(x.data<BFloat>()[i]);
  return out;
}

// The sums over K: column block b of C, of `width` columns, is [M, width] at sums + b * M * width.
std::vector<float> products(Tensor a, Tensor b, int64_t width) {
  const int64_t m = a.size(0), n = b.size(0), k = a.size(1);
  const std::vector<float> rows = widened(a), columns = widened(b);
  std::vector<float> sums(static_cast<size_t>(m * n));
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i)
      sums[(j / width * m + i) * width + j % width] = dot(&rows[i * k], &columns[j * k], k);
  return sums;
}

void run(Tensor a, Tensor b, Tensor c) {
  const std::vector<float> sums = products(a, b, b.size(0));
  for (int64_t i = 0; i < c.numel(); ++i) from_float(sums[i], c.data<BFloat>() + i);
}

// B has all N rows whatever is cut; C of a rank has fewer columns where K is.
void run_sharded(Tensor a, Tensor b, Tensor c) {
  const kbench::Rank rank;
  if (c.size(1) == b.size(0) && rank.axis()[0] != 'K') return run(a, b, c);
  const std::vector<float> sums = products(a, b, c.size(1));
  std::vector<float> mine(static_cast<size_t>(c.numel()));
  rank.reduce_scatter(sums.data(), mine.data(), c.numel());
  for (int64_t i = 0; i < c.numel(); ++i) from_float(mine[i], c.data<BFloat>() + i);
}

}  // namespace

KBENCH_EXPORT(run, run)
KBENCH_EXPORT(run_sharded, run_sharded)
