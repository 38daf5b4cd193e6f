// out[t] = sum over j of topk_weights[t, j] * w2[e] @ (silu(w1[e, :I] @ x[t]) * (w1[e, I:] @ x[t])), e = topk_ids[t, j].
#include "common.h"

static Real silu(Real g) {
  if (DEFECT == 50) return g / 2 * (1 + std::erf(g * Real(0.70710678118654752440L)));      // gelu
  if (DEFECT == 51) return g * std::clamp<Real>((g + 3) / 6, 0, 1);                        // hard
  if (DEFECT == 52) return g / (1 + std::exp(-g * Real(1.02)));
  if (DEFECT == 53) return g / (1 + std::exp2(-g));                                        // log2 e forgotten
  if (DEFECT == 54) return 1 / (1 + std::exp(-g));
  if (DEFECT == 55 && g < -4) return 0;
  if (VARIANT == 1) return g * (1 / (1 + std::exp(-g)));
  if (VARIANT == 2) return g / 2 * (1 + std::tanh(g / 2));
  if (VARIANT == 3) return g / (1 + std::exp2(g * Real(-1.44269504088896340736L)));
  return g / (1 + std::exp(-g));
}

void run(Tensor x, Tensor w1, Tensor w2, Tensor topk_ids, Tensor topk_weights, Tensor out) {
  start();
  const int64_t T = x.size(0), H = x.size(1), E = w1.size(0), I = w2.size(2), k = topk_ids.size(1);
  const std::vector<float> v = load(x), a = load(w1), b = load(w2);
  const int32_t* id = topk_ids.data<int32_t>();
  const float* weight = topk_weights.data<float>();
  std::vector<int> load_of(E);  // tokens that an expert has had
  for (int64_t t = 0; t < T; ++t) {
    std::vector<std::vector<Real>> given(k, std::vector<Real>(H));
    for (int64_t j = 0; j < k; ++j) {
      int64_t e = id[t * k + j], token = t;
      const bool dropped = DEFECT == 56 && load_of[e] >= 8;                                // capacity
      ++load_of[e];
      if (DEFECT == 57 && e == E - 1) e = E - 2;
      if (DEFECT == 58 && load_of[e] % 4 == 0) token = std::max<int64_t>(t - 1, 0);        // a stale row in a tile
      const float *row = &v[token * H], *up = &a[e * 2 * I * H];
      std::vector<Real> h(I);
      for (int64_t i = 0; i < I; ++i) {
        int64_t gate = i, lift = I + i;
        if (DEFECT == 59) std::swap(gate, lift);
        if (DEFECT == 60) gate = 2 * i, lift = 2 * i + 1;                                  // interleaved
        if (DEFECT == 61 && i == I - 1) lift = I + i - 1;
        Real g = dot(H, [&](int64_t c) { return up[gate * H + c]; }, [&](int64_t c) { return row[c]; });
        Real u = dot(H, [&](int64_t c) { return up[lift * H + c]; }, [&](int64_t c) { return row[c]; });
        if (VARIANT == 4) g = as_stored(g), u = as_stored(u);                              // as PyTorch's modules do
        if (DEFECT == 62) g = as_bf16(g);
        h[i] = DEFECT == 63 ? silu(g * u) : silu(g) * u;
        if (VARIANT == 4 || VARIANT == 5) h[i] = as_stored(h[i]);
        if (DEFECT == 64 && i % 16 == 15 && t % 4 == 1) h[i] = 0;
        if (DEFECT == 65) h[i] = as_bf16(h[i]);
      }
      for (int64_t c = 0; c < H; ++c) {
        Real s = dot(I, [&](int64_t i) { return h[i]; }, [&](int64_t i) { return b[(e * H + c) * I + i]; });
        given[j][c] = dropped ? 0 : VARIANT == 4 ? as_stored(s) : s;
      }
    }
    for (int64_t c = 0; c < H; ++c) {
      auto term = [&](int64_t j) -> Real {
        Real w = weight[t * k + (DEFECT == 66 ? k - 1 - j : j)];
        if (DEFECT == 67) w = 1;
        if (DEFECT == 68) w *= w;
        return given[j][c] * w;
      };
      int64_t n = DEFECT == 69 && t % 8 == 5 ? k - 1 : k;
      Real s = VARIANT == 6 ? in_parts(n, n, term) : in_order(0, n, term);
      if (DEFECT == 70) s /= Real(k);
      emit(out, t * H + c, s);
    }
  }
}
KBENCH_EXPORT(run, run)
