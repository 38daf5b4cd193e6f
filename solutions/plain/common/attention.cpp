// SPDX-License-Identifier: Apache-2.0
// Grouped-query attention, one query head after the other: all scores, their softmax, the weighted
// sum of values. The layouts differ only in where key number j of a sequence lies.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

using kbench::Tensor;

// One head of one query over `n` keys; rows(j) is the row of key and value j. Returns the natural
// logarithm of the sum of exponentials.
template <typename T, typename Rows>
float attend(const T* q, const T* keys, const T* values, int64_t n, const Rows& rows, int64_t d,
             float scale, T* out) {
  std::vector<float> scores(static_cast<size_t>(n)), sums(static_cast<size_t>(d));
  float highest = -INFINITY, total = 0;
  for (int64_t j = 0; j < n; ++j) {
    const T* key = keys + rows(j);
    for (int64_t i = 0; i < d; ++i) scores[j] += to_float(q[i]) * to_float(key[i]);
    scores[j] *= scale;
    highest = std::fmax(highest, scores[j]);
  }
  for (int64_t j = 0; j < n; ++j) {
    const float weight = std::exp(scores[j] - highest);
    const T* value = values + rows(j);
    total += weight;
    for (int64_t i = 0; i < d; ++i) sums[i] += weight * to_float(value[i]);
  }
  for (int64_t i = 0; i < d; ++i) from_float(n > 0 ? sums[i] / total : 0.0f, &out[i]);
  return highest + std::log(total);
}

void gqa(Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse) {
  const int64_t queries = q.size(1), heads = q.size(2), kv_len = k.size(1), kv_heads = k.size(2);
  const int64_t d = q.size(3), ratio = heads / kv_heads;
  const float scale = 1.0f / std::sqrt(static_cast<float>(d));
  for (int64_t row = 0; row < q.size(0) * queries * heads; ++row) {
    const int64_t batch = row / (queries * heads), kv_head = row % heads / ratio;
    const auto rows = [&](int64_t j) { return ((batch * kv_len + j) * kv_heads + kv_head) * d; };
    lse.data<float>()[row] = attend(q.data<Half>() + row * d, k.data<Half>(), v.data<Half>(),
                                    kv_len, rows, d, scale, out.data<Half>() + row * d);
  }
}

void ragged(Tensor q, Tensor k, Tensor v, Tensor qo_indptr, Tensor kv_indptr, double sm_scale,
            Tensor out, Tensor lse) {
  const int64_t heads = q.size(1), kv_heads = k.size(1), d = q.size(2);
  const int32_t *q_begin = qo_indptr.data<int32_t>(), *kv_begin = kv_indptr.data<int32_t>();
  for (int64_t s = 0; s + 1 < qo_indptr.size(0); ++s) {
    const int64_t unseen = (kv_begin[s + 1] - kv_begin[s]) - (q_begin[s + 1] - q_begin[s]);
    for (int64_t row = q_begin[s] * heads; row < q_begin[s + 1] * heads; ++row) {
      const int64_t visible = unseen + row / heads - q_begin[s] + 1;
      const int64_t kv_head = row % heads / (heads / kv_heads);
      const auto rows = [&](int64_t j) { return ((kv_begin[s] + j) * kv_heads + kv_head) * d; };
      const float natural = attend(q.data<BFloat>() + row * d, k.data<BFloat>(), v.data<BFloat>(),
                                   visible > 0 ? visible : 0, rows, d, static_cast<float>(sm_scale),
                                   out.data<BFloat>() + row * d);
      lse.data<float>()[row] = natural * 1.44269504f;
    }
  }
}

void paged_decode(Tensor q, Tensor k, Tensor v, Tensor kv_indptr, Tensor kv_indices,
                  Tensor last_page_len, double sm_scale, Tensor out, Tensor lse) {
  const int64_t heads = q.size(1), kv_heads = k.size(2), d = q.size(2), page = k.size(1);
  for (int64_t row = 0; row < q.size(0) * heads; ++row) {
    const int64_t s = row / heads, kv_head = row % heads / (heads / kv_heads);
    const int32_t begin = kv_indptr.data<int32_t>()[s], end = kv_indptr.data<int32_t>()[s + 1];
    const int64_t length =
        end > begin ? (end - begin - 1) * page + last_page_len.data<int32_t>()[s] : 0;
    const int32_t* pages = kv_indices.data<int32_t>() + begin;
    const auto rows = [&](int64_t j) {
      return ((pages[j / page] * page + j % page) * kv_heads + kv_head) * d;
    };
    const float natural =
        attend(q.data<BFloat>() + row * d, k.data<BFloat>(), v.data<BFloat>(), length, rows, d,
               static_cast<float>(sm_scale), out.data<BFloat>() + row * d);
    lse.data<float>()[row] = natural * 1.44269504f;
  }
}

}  // namespace

KBENCH_EXPORT(gqa, gqa)
KBENCH_EXPORT(ragged_prefill_causal, ragged)
KBENCH_EXPORT(paged_decode, paged_decode)
