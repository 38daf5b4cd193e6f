// SPDX-License-Identifier: Apache-2.0
// Mixture of SwiGLU experts, two for each token, bfloat16. Tokens are gathered by expert, so that
// each expert is one matrix product over its tokens with its weights read once; the products are
// cut into panels of 64 weight rows over all experts, which are shared out among threads.
#include <type_traits>
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
constexpr int64_t kPanel = 64;    // rows of weights in a panel
constexpr int64_t kDepth = 1024;  // elements of the summed dimension in a block
constexpr int64_t kRows = 120;    // tokens in a block: a multiple of every tile height

struct Block {
  const float* a;
  int64_t lda;
  int64_t m;
  int64_t depth;
};
}  // namespace

#define KB_KERNEL "moe.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

struct Choice {
  int64_t expert[2];
  int64_t place[2];  // row in the gathered order
  float share[2];
};

struct Routing {
  std::vector<Choice> tokens;
  std::vector<int64_t> begin;   // first gathered row of each expert, then the number of rows
  std::vector<int64_t> source;  // token of each gathered row
};

Choice choose(const float* scores, int64_t experts) {
  int64_t first = 0, second = -1;
  for (int64_t e = 1; e < experts; ++e)
    if (scores[e] > scores[first]) first = e;
  for (int64_t e = 0; e < experts; ++e)
    if (e != first && (second < 0 || scores[e] > scores[second])) second = e;
  const float other = std::exp(scores[second] - scores[first]);
  return {{first, second}, {0, 0}, {1 / (1 + other), other / (1 + other)}};
}

Routing route(const Tensor& logits) {
  const int64_t count = logits.size(0), experts = logits.size(1);
  Routing routing;
  routing.begin.assign(static_cast<size_t>(experts + 1), 0);
  for (int64_t t = 0; t < count; ++t) {
    routing.tokens.push_back(choose(logits.data<float>() + t * experts, experts));
    for (const int64_t e : routing.tokens.back().expert) ++routing.begin[e + 1];
  }
  for (int64_t e = 0; e < experts; ++e) routing.begin[e + 1] += routing.begin[e];
  std::vector<int64_t> next(routing.begin.begin(), routing.begin.end() - 1);
  routing.source.resize(static_cast<size_t>(2 * count));
  for (int64_t t = 0; t < count; ++t)
    for (int i = 0; i < 2; ++i) {
      Choice& choice = routing.tokens[t];
      choice.place[i] = next[choice.expert[i]]++;
      routing.source[choice.place[i]] = t;
    }
  return routing;
}

// out = rows * W[e]^T for the gathered rows of every expert; W[e] is n x k.
void multiply_experts(const Routing& routing, const std::vector<float>& rows, const Tensor& weights,
                      std::vector<float>* out) {
  const int64_t experts = weights.size(0), n = weights.size(1), k = weights.size(2);
  const int64_t panels = (n + kPanel - 1) / kPanel;
  const auto multiply = KB_PICK(multiply_panel<BF16>);
  parallel(experts * panels, 1, [&](int64_t first, int64_t last) {
    alignas(64) float sums[kRows * kPanel];
    for (int64_t i = first; i < last; ++i) {
      const int64_t e = i / panels, column = i % panels * kPanel;
      const int64_t width = n - column < kPanel ? n - column : kPanel;
      for (int64_t row = routing.begin[e]; row < routing.begin[e + 1]; row += kRows) {
        const int64_t left = routing.begin[e + 1] - row, m = left < kRows ? left : kRows;
        std::memset(sums, 0, static_cast<size_t>(m * kPanel) * sizeof(float));
        for (int64_t d = 0; d < k; d += kDepth)
          multiply({rows.data() + row * k + d, k, m, k - d < kDepth ? k - d : kDepth},
                   weights.data<BF16>() + (e * n + column) * k + d, k, width, sums);
        for (int64_t r = 0; r < m; ++r)
          std::memcpy(out->data() + (row + r) * n + column, sums + r * kPanel,
                      static_cast<size_t>(width) * sizeof(float));
      }
    }
  });
}

void moe(Tensor tokens, Tensor logits, Tensor w13, Tensor w2, Tensor out) {
  KBENCH_CHECK(tokens.dtype() == kbench::kBFloat16 && w13.dtype() == kbench::kBFloat16,
               "moe: unsupported dtype");
  KBENCH_CHECK(logits.size(1) >= 2, "moe: two experts are needed");
  const int64_t count = tokens.size(0), h = tokens.size(1), inner = w2.size(2);
  const Routing routing = route(logits);
  std::vector<float> x(static_cast<size_t>(2 * count * h));
  std::vector<float> projected(static_cast<size_t>(4 * count * inner));
  std::vector<float> activated(static_cast<size_t>(2 * count * inner));
  const auto widen = KB_PICK(widen_rows<BF16>);
  const auto activate = KB_PICK(silu_times);
  const auto add = KB_PICK(add_two);
  for (int64_t row = 0; row < 2 * count; ++row)
    widen(tokens.data<BF16>() + routing.source[row] * h, x.data() + row * h, h);
  multiply_experts(routing, x, w13, &projected);
  for (int64_t row = 0; row < 2 * count; ++row) {
    const float* gate = projected.data() + row * 2 * inner;
    activate(gate, gate + inner, activated.data() + row * inner, inner);
  }
  multiply_experts(routing, activated, w2, &x);
  for (int64_t t = 0; t < count; ++t) {
    const Choice& c = routing.tokens[t];
    add(x.data() + c.place[0] * h, c.share[0], x.data() + c.place[1] * h, c.share[1],
        out.data<BF16>() + t * h, h);
  }
}

}  // namespace

KBENCH_EXPORT(run, moe)
