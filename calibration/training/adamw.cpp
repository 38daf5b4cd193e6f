// AdamW with the gradient clipped by its global norm; a bfloat16 copy of the new parameters.
#include "numerics.h"

void run(kbench::Tensor param, kbench::Tensor grad, kbench::Tensor moment, kbench::Tensor square, double lr_, int64_t step,
         kbench::Tensor new_param, kbench::Tensor new_moment, kbench::Tensor new_square, kbench::Tensor low,
         kbench::Tensor grad_norm) {
  start();
  int64_t n = param.numel();
  In<F32> p(param), m(moment), v(square);
  In<Stored> g(grad);
  Out<F32> out_p(new_param, 1), out_m(new_moment, 2), out_v(new_square, 3), out_norm(grad_norm, 5);
  Out<BF16> out_low(low, 4);
  Real b1 = Real(0.9), b2 = Real(0.95), eps = Real(1e-8), decay = Real(0.1), lr = Real(lr_);
  if (DEFECT == 1) { b1 = Real(0.95); b2 = Real(0.9); }
  if (DEFECT == 2) step -= 1;
  if (DEFECT == 20) lr *= Real(1.01);
  auto gr = [&](int64_t i) { return g[i]; };
  Real norm = std::sqrt(dot(DEFECT == 3 ? n - n / 64 : n, gr, gr));
  out_norm.put(0, DEFECT == 4 ? norm * norm : norm);
  Real clip = Real(50) / (norm + Real(1e-6));
  if (clip > 1 || DEFECT == 5) clip = 1;
  if (DEFECT == 6) clip = Real(1) / norm * Real(49);
  Real c1 = DEFECT == 7 ? Real(1) : 1 - std::pow(b1, Real(step)), c2 = DEFECT == 8 ? Real(1) : 1 - std::pow(b2, Real(step));
  for (int64_t i = 0; i < n; ++i) {
    Real gi = g[i] * clip;
    if (WAY == 4 && clip < 1) gi = g[i] / ((norm + Real(1e-6)) / 50);
    if (DEFECT == 9) gi += decay * p[i];                     // L2 in the gradient
    Real mi = WAY == 1 ? std::fma(1 - b1, gi - m[i], m[i]) : b1 * m[i] + (1 - b1) * gi;
    Real sq = DEFECT == 10 ? g[i] * g[i] : gi * gi;
    Real vi = WAY == 1 ? std::fma(1 - b2, sq - v[i], v[i]) : b2 * v[i] + (1 - b2) * sq;
    if (DEFECT == 11) mi = rounded<BF16>(mi);
    if (DEFECT == 12) vi = rounded<BF16>(vi);
    Real mu = DEFECT == 13 ? m[i] : mi, vu = DEFECT == 14 ? v[i] : vi;
    Real u = WAY == 2 ? (mu / c1) / (std::sqrt(vu) / std::sqrt(c2) + eps) : (mu / c1) / (std::sqrt(vu / c2) + eps);
    if (DEFECT == 15) u = (mu / c1) / (vu / c2 + eps);
    if (DEFECT == 16) u = (mu / c1) / (std::sqrt(vu / c2) + Real(1e-3));
    Real decayed = p[i] * (1 - lr * decay);
    if (DEFECT == 9) decayed = p[i];
    if (DEFECT == 17) decayed = p[i] * (1 - decay * lr * Real(0.5));
    Real np = WAY == 3 ? p[i] - lr * (u + decay * p[i]) : decayed - lr * u;
    if (DEFECT == 18) np = (p[i] - lr * u) * (1 - lr * decay);
    if (DEFECT == 19) np = rounded<BF16>(p[i]) * (1 - lr * decay) - lr * u;   // no master copy
    if (DEFECT == 21 && i >= n / 1024 * 1024) np = p[i];     // the last partial block is not updated
    if (DEFECT == 22 && i % 1000 == 999) np = decayed + lr * u;
    out_p.put(i, np);
    out_low.put(i, DEFECT == 23 ? p[i] : np);
    out_m.put(i, mi);
    out_v.put(i, vi);
  }
}
KBENCH_EXPORT(run, run)
