// Scores of a lightning indexer: sum over heads of weights[t, h] * relu(q[t, h] · k[s]) * scale, -inf where s > start + t;
// and for each token the number of keys it may read, and whether each is above `least`.
#include "common.h"

void run(Tensor q, Tensor k, Tensor weights, double scale, int64_t start_at, double least, Tensor scores, Tensor lengths, Tensor kept) {
  start();
  const int64_t T = q.size(0), H = q.size(1), D = q.size(2), S = k.size(0);
  const std::vector<float> a = load(q), b = load(k);
  const float* weight = weights.data<float>();
  float* score = scores.data<float>();
  for (int64_t t = 0; t < T; ++t) {
    int64_t n = std::min(S, start_at + t + 1);
    if (DEFECT == 50) n = std::min(S, start_at + t);
    if (DEFECT == 51) n = std::min(S, start_at + t + 2);
    if (DEFECT == 52) n = S;
    if (DEFECT == 53) n = std::min(S, (start_at + t) / 8 * 8 + 8);
    if (DEFECT == 54) n = std::min(S, t + 1);
    lengths.data<int32_t>()[t] = int32_t(DEFECT == 55 ? n - 1 : DEFECT == 56 ? std::min<int64_t>(n, 48) : DEFECT == 57 && t == T - 1 ? S - 1 : n);
    for (int64_t s = 0; s < S; ++s) {
      Real total = -INFINITY;
      if (s < n) {
        auto head = [&](int64_t h) -> Real {
          int64_t key = DEFECT == 58 && s % 16 == 15 ? s - 1 : s, query = DEFECT == 59 && h == H - 1 ? h - 1 : h;
          const float *x = &a[(t * H + query) * D], *y = &b[key * D];
          int64_t length = DEFECT == 60 ? D - 1 : D;
          auto in_x = [&](int64_t d) { return x[d]; };
          auto in_y = [&](int64_t d) { return y[d]; };
          Real v = dot(length, in_x, in_y);
          if (DEFECT == 61) v = std::fabs(v);
          else if (DEFECT == 62) v = v;
          else if (DEFECT == 63) v = v / (1 + std::exp(-v));                               // silu
          else if (DEFECT == 64) v = v > 0 ? v : v * Real(0.01);                           // leaky
          else v = std::max(v, Real(0));
          if (DEFECT == 65) v = as_bf16(v);
          Real w = weight[(DEFECT == 66 && t > 0 ? t - 1 : t) * H + (DEFECT == 67 ? H - 1 - h : h)];
          return VARIANT == 1 ? v * (w * Real(scale)) : v * w;
        };
        total = in_order(0, DEFECT == 68 && t % 4 == 3 ? H - 1 : H, head);
        if (VARIANT == 2) total = in_parts(H, 2, head);
        if (VARIANT != 1 && DEFECT != 69) total *= Real(scale);
        if (DEFECT == 70) total *= Real(std::sqrt(D / (D + 1.0)));
        if (DEFECT == 20) total *= Real(1.001);
        if (DEFECT == 22) total *= Real(1.01);
        if (DEFECT == 24) total = as_bf16(total);
        if (DEFECT == 25) total = as_f16(total);
        if (DEFECT == 71 && (t * S + s) % 499 == 3) total = 0;
      } else if (DEFECT == 72) total = 0;
      else if (DEFECT == 73) total = -10000;
      score[t * S + s] = float(total);
      bool keep = float(total) > float(least);
      if (DEFECT == 74) keep = float(total) > float(least) || s >= n;
      if (DEFECT == 75) keep = std::fabs(float(total)) > float(least);
      if (DEFECT == 76) keep = float(total) > float(least) * 1.05f;
      if (DEFECT == 77) keep = float(total) >= -float(least);
      if (DEFECT == 78 && s == S - 1) keep = false;
      kept.data<uint8_t>()[t * S + s] = keep;
    }
  }
}
KBENCH_EXPORT(run, run)
