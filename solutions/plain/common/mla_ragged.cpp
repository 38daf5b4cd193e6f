// SPDX-License-Identifier: Apache-2.0
// Causal prefill attention over packed sequences whose values are narrower than their keys, one
// query head after the other: all scores, their softmax, the weighted sum of values.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

using kbench::Tensor;

struct Keys {
  const BFloat* first;
  int64_t stride;  // from one key of the head to the next
  int64_t width;
};

// Scaled scores of one query head; returns the highest.
float score(const BFloat* q, const Keys& keys, float scale, std::vector<float>& scores) {
  float highest = -INFINITY;
  for (size_t j = 0; j < scores.size(); ++j) {
    const BFloat* key = keys.first + static_cast<int64_t>(j) * keys.stride;
    for (int64_t i = 0; i < keys.width; ++i) scores[j] += to_float(q[i]) * to_float(key[i]);
    scores[j] *= scale;
    highest = std::fmax(highest, scores[j]);
  }
  return highest;
}

void mla_ragged(Tensor q, Tensor k, Tensor v, Tensor qo_indptr, Tensor kv_indptr, double sm_scale,
                Tensor out, Tensor lse) {
  const int64_t heads = q.size(1), d = q.size(2), e = v.size(2);
  const int32_t *q_begin = qo_indptr.data<int32_t>(), *kv_begin = kv_indptr.data<int32_t>();
  const float scale = static_cast<float>(sm_scale);
  for (int64_t s = 0; s + 1 < qo_indptr.size(0); ++s) {
    const int64_t unseen = (kv_begin[s + 1] - kv_begin[s]) - (q_begin[s + 1] - q_begin[s]);
#pragma omp parallel for
    for (int64_t row = q_begin[s] * heads; row < q_begin[s + 1] * heads; ++row) {
      const int64_t visible = unseen + row / heads - q_begin[s] + 1;
      const int64_t first = kv_begin[s] * heads + row % heads;
      std::vector<float> scores(static_cast<size_t>(visible > 0 ? visible : 0));
      std::vector<float> sums(static_cast<size_t>(e));
      const Keys keys{k.data<BFloat>() + first * d, heads * d, d};
      const float highest = score(q.data<BFloat>() + row * d, keys, scale, scores);
      float total = 0;
      for (size_t j = 0; j < scores.size(); ++j) {
        const float weight = std::exp(scores[j] - highest);
        const BFloat* value = v.data<BFloat>() + (first + static_cast<int64_t>(j) * heads) * e;
        total += weight;
        for (int64_t i = 0; i < e; ++i) sums[i] += weight * to_float(value[i]);
      }
      for (int64_t i = 0; i < e; ++i)
        from_float(total > 0 ? sums[i] / total : 0.0f, &out.data<BFloat>()[row * e + i]);
      lse.data<float>()[row] = (highest + std::log(total)) * 1.44269504f;
    }
  }
}

}  // namespace

KBENCH_EXPORT(run, mla_ragged)
