// SPDX-License-Identifier: Apache-2.0
// The best scores of each row. The k best so far are kept in order and give the score to beat; the
// row is scanned against it a vector at a time. Rows are shared out among threads.
#include "kbench_ffi.h"
#include "simd.h"

namespace {

constexpr int64_t kMost = 256;

struct Candidate {
  float score;
  int64_t column;
};

struct Best {
  explicit Best(int64_t wanted) : k(wanted) {}
  int64_t k;
  int64_t size = 0;
  float worst = -INFINITY;  // a score must be above this to enter
  Candidate best[kMost];    // best first

  void offer(float score, int64_t column) {
    int64_t place = size < k ? size++ : k - 1;
    for (; place > 0 && best[place - 1].score < score; --place) best[place] = best[place - 1];
    best[place] = {score, column};
    if (size == k) worst = best[k - 1].score;
  }
  // Columns that hold -inf (or nan) never enter; they fill the places left over.
  void finish(const float* row, int64_t n) {
    for (int64_t i = 0; size < k && i < n; ++i)
      if (!(row[i] > -INFINITY)) best[size++] = {row[i], i};
  }
};

}  // namespace

#define KB_KERNEL "topk.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

// Calls write(row, best) for each row of scores.
template <typename Write>
void for_rows(const Tensor& scores, int64_t k, const Write& write) {
  KBENCH_CHECK(scores.dtype() == kbench::kFloat32 && scores.contiguous(),
               "topk: scores must be contiguous float32");
  KBENCH_CHECK(k <= kMost && k <= scores.size(1), "topk: k is too large");
  const auto collect = KB_PICK(collect_best);
  const int64_t n = scores.size(1);
  parallel(scores.size(0), 1 + 16384 / n, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* row = scores.data<float>() + r * n;
      Best best(k);
      collect(row, n, best);
      best.finish(row, n);
      write(r, best.best);
    }
  });
}

void topk(Tensor scores, Tensor values, Tensor indices) {
  const int64_t k = values.size(1);
  for_rows(scores, k, [&](int64_t r, const Candidate* best) {
    for (int64_t i = 0; i < k; ++i) {
      values.data<float>()[r * k + i] = best[i].score;
      indices.data<int64_t>()[r * k + i] = best[i].column;
    }
  });
}

void topk_softmax(Tensor scores, Tensor weights, Tensor indices) {
  const int64_t k = weights.size(1);
  for_rows(scores, k, [&](int64_t r, const Candidate* best) {
    float* out = weights.data<float>() + r * k;
    float sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      sum += out[i] = std::exp(best[i].score - best[0].score);
      indices.data<int32_t>()[r * k + i] = static_cast<int32_t>(best[i].column);
    }
    for (int64_t i = 0; i < k; ++i) out[i] /= sum;
  });
}

void argmax(Tensor scores, Tensor tokens) {
  KBENCH_CHECK(scores.dtype() == kbench::kFloat32 && scores.contiguous(),
               "argmax: scores must be contiguous float32");
  const auto first = KB_PICK(first_highest);
  const int64_t n = scores.size(1);
  parallel(scores.size(0), 1 + 16384 / n, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      tokens.data<int64_t>()[r] = first(scores.data<float>() + r * n, n);
  });
}

}  // namespace

KBENCH_EXPORT(topk, topk)
KBENCH_EXPORT(topk_softmax, topk_softmax)
KBENCH_EXPORT(argmax, argmax)
