// Softmax of scaled scores over the first seq_lens[i] columns, and its backward pass.
#include "numerics.h"

void run(kbench::Tensor scores, kbench::Tensor grad, kbench::Tensor seq_lens, double scale_, kbench::Tensor probs,
         kbench::Tensor grad_in) {
  start();
  int64_t n = scores.size(0), v = scores.size(1);
  In<Stored> x(scores), g(grad);
  const int32_t* lens = seq_lens.data<int32_t>();
  Out<Stored> out_p(probs, 1), out_g(grad_in, 2);
  Real scale = Real(scale_);
  if (DEFECT == 13) scale *= Real(1.01);
  for (int64_t i = 0; i < n; ++i) {
    int64_t len = lens[i];
    if (DEFECT == 3) len = len < v ? len + 1 : v;
    if (DEFECT == 4) len = len > 1 ? len - 1 : len;
    if (DEFECT == 7) len = v;
    if (DEFECT == 8 && i % 8 == 7) len = lens[i - 1];
    if (DEFECT == 14) len = len / 8 * 8;                     // the partial vector is lost
    if (DEFECT == 16 && len == v) len = v - 1;
    for (int64_t j = len; j < v; ++j) {
      out_p.put(i * v + j, Real(0));
      out_g.put(i * v + j, DEFECT == 5 ? g[i * v + j] : Real(0));
    }
    if (len == 0) continue;
    auto s = [&](int64_t j) { return x[i * v + j] * scale; };
    MaxSum m = max_sum(len, s);
    Real inverse = 1 / m.sum, norm = m.max + std::log(m.sum);
    auto p = [&](int64_t j) {
      Real e = WAY == 2 ? expo(s(j) - norm) : WAY == 1 ? expo(s(j) - m.max) * inverse : expo(s(j) - m.max) / m.sum;
      return WAY == 3 ? rounded<Stored>(e) : e;              // 3: the backward pass reads the stored probabilities
    };
    auto gr = [&](int64_t j) { return g[i * v + j]; };
    Real d = dot(DEFECT == 6 && len > 64 ? 64 : len, p, gr, 2);
    if (DEFECT == 2) d = 0;
    if (DEFECT == 10) d = sum(len, gr, 3) / Real(len);
    if (DEFECT == 11) d = -d;
    if (DEFECT == 12) d = rounded<BF16>(d);
    for (int64_t j = 0; j < len; ++j) {
      out_p.put(i * v + j, p(j));
      Real r = p(j) * (gr(j) - d) * scale;
      if (WAY == 4) r = (p(j) * gr(j) - p(j) * d) * scale;
      if (DEFECT == 1) r = p(j) * (gr(j) - d);
      if (DEFECT == 9) r *= scale;
      if (DEFECT == 15) r = p(j) * (1 - p(j)) * gr(j) * scale;   // diagonal of the Jacobian only
      if (DEFECT == 17) r = p(j) * (gr(j) - d) * scale + (j == 0 ? Real(0.01) * scale : Real(0));
      if (DEFECT == 18 && j % 64 == 0) r = p(j) * gr(j) * scale;
      out_g.put(i * v + j, r);
    }
  }
}
KBENCH_EXPORT(run, run)
