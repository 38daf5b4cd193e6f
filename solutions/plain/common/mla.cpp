// SPDX-License-Identifier: Apache-2.0
// Decode attention on the compressed cache: a key is the compressed vector followed by the rotary
// part, a value is the compressed vector. Pages hold one token.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

using kbench::Tensor;

float dot(const BFloat* a, const BFloat* b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += to_float(a[i]) * to_float(b[i]);
  return sum;
}

void mla_decode(Tensor q_nope, Tensor q_pe, Tensor ckv, Tensor kpe, Tensor kv_indptr,
                Tensor kv_indices, double sm_scale, Tensor out, Tensor lse) {
  const int64_t heads = q_nope.size(1), c = q_nope.size(2), p = q_pe.size(2);
#pragma omp parallel for
  for (int64_t row = 0; row < q_nope.size(0) * heads; ++row) {
    const int32_t* range = kv_indptr.data<int32_t>() + row / heads;
    const int32_t* tokens = kv_indices.data<int32_t>() + range[0];
    const int64_t n = range[1] - range[0];
    std::vector<float> scores(static_cast<size_t>(n)), sums(static_cast<size_t>(c));
    float highest = -INFINITY, total = 0;
    for (int64_t j = 0; j < n; ++j) {
      scores[j] = dot(q_nope.data<BFloat>() + row * c, ckv.data<BFloat>() + tokens[j] * c, c);
      scores[j] += dot(q_pe.data<BFloat>() + row * p, kpe.data<BFloat>() + tokens[j] * p, p);
      scores[j] *= static_cast<float>(sm_scale);
      highest = std::fmax(highest, scores[j]);
    }
    for (int64_t j = 0; j < n; ++j) {
      const float weight = std::exp(scores[j] - highest);
      total += weight;
      for (int64_t i = 0; i < c; ++i)
        sums[i] += weight * to_float(ckv.data<BFloat>()[tokens[j] * c + i]);
    }
    for (int64_t i = 0; i < c; ++i)
      from_float(n > 0 ? sums[i] / total : 0.0f, &out.data<BFloat>()[row * c + i]);
    lse.data<float>()[row] = (highest + std::log(total)) * 1.44269504f;
  }
}

}  // namespace

KBENCH_EXPORT(run, mla_decode)
