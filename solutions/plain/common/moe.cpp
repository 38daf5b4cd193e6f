// SPDX-License-Identifier: Apache-2.0
// Mixture of experts, token by token: the two best experts, each a SwiGLU feed-forward layer.
#include <vector>

#include "kbench_ffi.h"
#include "numbers.h"

namespace {

float dot(const float* x, const BFloat* row, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * to_float(row[i]);
  return sum;
}

int64_t best_but(const float* scores, int64_t n, int64_t taken) {
  int64_t best = taken == 0 ? 1 : 0;
  for (int64_t e = 0; e < n; ++e)
    if (e != taken && scores[e] > scores[best]) best = e;
  return best;
}

void moe(kbench::Tensor tokens, kbench::Tensor logits, kbench::Tensor w13, kbench::Tensor w2,
         kbench::Tensor out) {
  const int64_t experts = w13.size(0), h = tokens.size(1), inner = w2.size(2);
#pragma omp parallel for
  for (int64_t t = 0; t < tokens.size(0); ++t) {
    std::vector<float> x(static_cast<size_t>(h)), y(static_cast<size_t>(h));
    std::vector<float> activated(static_cast<size_t>(inner));
    for (int64_t i = 0; i < h; ++i) x[i] = to_float(tokens.data<BFloat>()[t * h + i]);
    const float* scores = logits.data<float>() + t * experts;
    const int64_t first = best_but(scores, experts, -1), second = best_but(scores, experts, first);
    const float other = std::exp(scores[second] - scores[first]);
    for (const int64_t e : {first, second}) {
      const BFloat* gate_up = w13.data<BFloat>() + e * 2 * inner * h;
      const BFloat* down = w2.data<BFloat>() + e * h * inner;
      const float share = (e == first ? 1.0f : other) / (1.0f + other);
      for (int64_t i = 0; i < inner; ++i) {
        const float gate = dot(x.data(), gate_up + i * h, h);
        const float up = dot(x.data(), gate_up + (inner + i) * h, h);
        activated[i] = gate / (1.0f + std::exp(-gate)) * up;
      }
      for (int64_t i = 0; i < h; ++i)
        y[i] += share * dot(activated.data(), down + i * inner, inner);
    }
    for (int64_t i = 0; i < h; ++i) from_float(y[i], &out.data<BFloat>()[t * h + i]);
  }
}

}  // namespace

KBENCH_EXPORT(run, moe)
