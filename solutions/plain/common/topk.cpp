// SPDX-License-Identifier: Apache-2.0
// The best scores of each row by partial sorting of their columns; argmax is the best one.
#include <algorithm>
#include <numeric>
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

using kbench::Tensor;

// The columns of the k best scores, best first, the lower column first among equals.
std::vector<int64_t> best_columns(const float* scores, int64_t n, int64_t k) {
  std::vector<int64_t> columns(static_cast<size_t>(n));
  std::iota(columns.begin(), columns.end(), 0);
  std::partial_sort(columns.begin(), columns.begin() + k, columns.end(), [&](int64_t a, int64_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  columns.resize(static_cast<size_t>(k));
  return columns;
}

void topk(Tensor scores, Tensor values, Tensor indices) {
  const int64_t n = scores.size(1), k = values.size(1);
  for (int64_t r = 0; r < scores.size(0); ++r) {
    const float* row = scores.data<float>() + r * n;
    const std::vector<int64_t> best = best_columns(row, n, k);
    for (int64_t i = 0; i < k; ++i) {
      values.data<float>()[r * k + i] = row[best[i]];
      indices.data<int64_t>()[r * k + i] = best[i];
    }
  }
}

void topk_softmax(Tensor scores, Tensor weights, Tensor indices) {
  const int64_t n = scores.size(1), k = weights.size(1);
  for (int64_t r = 0; r < scores.size(0); ++r) {
    const float* row = scores.data<float>() + r * n;
    float* out = weights.data<float>() + r * k;
    const std::vector<int64_t> best = best_columns(row, n, k);
    float sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      sum += out[i] = std::exp(row[best[i]] - row[best[0]]);
      indices.data<int32_t>()[r * k + i] = static_cast<int32_t>(best[i]);
    }
    for (int64_t i = 0; i < k; ++i) out[i] /= sum;
  }
}

void argmax(Tensor scores, Tensor tokens) {
  const int64_t n = scores.size(1);
  for (int64_t r = 0; r < scores.size(0); ++r) {
    const float* row = scores.data<float>() + r * n;
    tokens.data<int64_t>()[r] = std::max_element(row, row + n) - row;
  }
}

}  // namespace

KBENCH_EXPORT(topk, topk)
KBENCH_EXPORT(topk_softmax, topk_softmax)
KBENCH_EXPORT(argmax, argmax)
