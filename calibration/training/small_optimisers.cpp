// KIND 0: Lion, with the number of positive signs in each row. KIND 1: SGD with Nesterov momentum, rows clipped by their
// norms, and a moving average of the parameters. KIND 2: Adafactor-like step from row and column means.
#include "numerics.h"

#if KIND == 0
void run(kbench::Tensor param, kbench::Tensor grad, kbench::Tensor moment, double lr_, kbench::Tensor new_param,
         kbench::Tensor new_moment, kbench::Tensor positive, kbench::Tensor change) {
  start();
  int64_t n = param.size(0), d = param.size(1);
  In<F32> p(param), m(moment);
  In<Stored> g(grad);
  Out<F32> out_p(new_param, 1), out_m(new_moment, 2), out_c(change, 3);
  Real b1 = Real(0.9), b2 = Real(0.99), lr = Real(lr_), decay = Real(0.1);
  if (DEFECT == 1) { b1 = Real(0.99); b2 = Real(0.9); }
  for (int64_t i = 0; i < n; ++i) {
    int32_t count = 0;
    auto blend = [&](int64_t j) {
      int64_t k = i * d + j;
      Real mk = m[k];
      if (DEFECT == 2) mk = b2 * m[k] + (1 - b2) * g[k];     // the new moment
      Real c = WAY == 1 ? mk + (1 - b1) * (g[k] - mk) : WAY == 2 ? std::fma(b1, mk, (1 - b1) * g[k]) : b1 * mk + (1 - b1) * g[k];
      if (DEFECT == 3) c = g[k];
      if (DEFECT == 4) c = m[k];
      return c;
    };
    for (int64_t j = 0; j < d; ++j) {
      int64_t k = i * d + j;
      Real c = blend(j), s = c > 0 ? Real(1) : c < 0 ? Real(-1) : Real(0);
      if (DEFECT == 5) s = c;
      if (DEFECT == 6 && std::fabs(c) < Real(0.01)) s = 0;
      if (DEFECT == 7) s = -s;
      if (DEFECT != 8 || j < d - 1) count += c > 0;
      if (DEFECT == 9) count &= 63;                          // counter of 6 bits
      if (DEFECT == 10 && c < Real(0) && j % 32 == 31) ++count;
      Real shrink = DEFECT == 11 ? Real(1) : DEFECT == 12 ? 1 - decay * lr * lr : 1 - lr * decay;
      Real np = WAY == 3 ? p[k] - lr * (s + decay * p[k]) : p[k] * shrink - lr * s;
      if (DEFECT == 13) np = rounded<BF16>(p[k]) * shrink - lr * s;
      if (DEFECT == 14 && j >= d / 32 * 32) np = p[k];
      if (DEFECT == 18 && i == n - 1) np = p[k] * shrink;
      out_p.put(k, np);
      Real nm = WAY == 1 ? m[k] + (1 - b2) * (g[k] - m[k]) : b2 * m[k] + (1 - b2) * g[k];
      if (DEFECT == 15) nm = b1 * m[k] + (1 - b1) * g[k];
      if (DEFECT == 16) nm = rounded<BF16>(nm);
      if (DEFECT == 17) nm = b2 * m[k] + g[k];
      out_m.put(k, nm);
    }
    positive.data<int32_t>()[i] = count;
    out_c.put(i, sum(d, [&](int64_t j) { return std::fabs(blend(j)); }) / Real(d));
  }
}
#elif KIND == 1
void run(kbench::Tensor param, kbench::Tensor grad, kbench::Tensor buffer, kbench::Tensor average, double lr_,
         kbench::Tensor new_param, kbench::Tensor new_buffer, kbench::Tensor new_average, kbench::Tensor clipped) {
  start();
  int64_t n = param.size(0), d = param.size(1);
  In<Stored> p(param), g(grad), a(average);
  In<F32> b(buffer);
  Out<Stored> out_p(new_param, 1), out_a(new_average, 3);
  Out<F32> out_b(new_buffer, 2);
  Real mu = Real(0.9), lr = Real(lr_), decay = Real(0.01), keep = DEFECT == 1 ? Real(0.9) : Real(0.75), most = Real(12);
  Real stale = 1;
  for (int64_t i = 0; i < n; ++i) {
    auto gr = [&](int64_t j) { return g[i * d + j]; };
    Real norm = std::sqrt(dot(d, gr, gr));
    if (DEFECT == 2) norm = dot(d, gr, gr);
    bool over = norm > most;
    Real factor = over ? most / norm : Real(1);
    if (DEFECT == 3) factor = 1;
    if (DEFECT == 4) factor = most / norm;                   // also enlarges
    if (DEFECT == 5 && i % 8 == 7) factor = stale;
    stale = factor;
    clipped.data<bool>()[i] = DEFECT == 6 ? norm < most : over;
    for (int64_t j = 0; j < d; ++j) {
      int64_t k = i * d + j;
      Real gk = WAY == 3 && over ? g[k] / norm * most : g[k] * factor;
      if (DEFECT == 7) gk = g[k] * factor + 0 * p[k];
      else gk = gk + decay * p[k];
      Real buf = DEFECT == 8 ? mu * b[k] + (1 - mu) * gk : WAY == 2 ? std::fma(mu, b[k], gk) : mu * b[k] + gk;
      Real u = DEFECT == 9 ? buf : DEFECT == 10 ? gk + mu * b[k] : WAY == 2 ? std::fma(mu, buf, gk) : gk + mu * buf;
      if (DEFECT == 11) u = gk;
      Real np = p[k] - lr * u;
      if (DEFECT == 12) np = p[k] - lr * u * Real(1.02);
      if (DEFECT == 13 && j >= d - 5) np = p[k];
      out_p.put(k, np);
      out_b.put(k, DEFECT == 14 ? rounded<BF16>(buf) : buf);
      Real avg = WAY == 1 ? a[k] + (1 - keep) * (np - a[k]) : keep * a[k] + (1 - keep) * np;
      if (DEFECT == 15) avg = keep * a[k] + (1 - keep) * p[k];   // of the old parameters
      if (DEFECT == 16) avg = (1 - keep) * a[k] + keep * np;
      if (DEFECT == 17 && i == 0) avg = np;
      if (DEFECT == 18) avg = keep * a[k] + (1 - keep) * (p[k] + lr * u);
      out_a.put(k, avg);
    }
  }
}
#else
static Real row_[4096], column_[4096];
void run(kbench::Tensor param, kbench::Tensor grad, kbench::Tensor row_mean, kbench::Tensor column_mean, double lr_,
         kbench::Tensor new_param, kbench::Tensor new_row, kbench::Tensor new_column, kbench::Tensor size) {
  start();
  int64_t n = param.size(0), d = param.size(1);
  In<F32> p(param), r(row_mean), c(column_mean);
  In<Stored> g(grad);
  Out<F32> out_p(new_param, 1), out_r(new_row, 2), out_c(new_column, 3), out_s(size, 4);
  Real beta = DEFECT == 1 ? Real(0.9) : Real(0.8), lr = Real(lr_), eps = Real(1e-30);
  auto sq = [&](int64_t k) { return g[k] * g[k] + eps; };
  for (int64_t i = 0; i < n; ++i) {
    Real mean = sum(d, [&](int64_t j) { return sq(i * d + j); }, 1) / Real(DEFECT == 2 ? d - 1 : d);
    if (DEFECT == 3) mean = std::sqrt(mean);
    row_[i] = WAY == 1 ? r[i] + (1 - beta) * (mean - r[i]) : beta * r[i] + (1 - beta) * mean;
    if (DEFECT == 4) row_[i] = rounded<BF16>(row_[i]);
    if (DEFECT == 5 && i == n - 1) row_[i] = r[i];
    out_r.put(i, row_[i]);
  }
  for (int64_t j = 0; j < d; ++j) {
    Real mean = sum(DEFECT == 6 ? n - 1 : n, [&](int64_t i) { return sq(DEFECT == 7 ? i * n % (n * d) + j : i * d + j); }, 2) / Real(n);
    column_[j] = WAY == 1 ? c[j] + (1 - beta) * (mean - c[j]) : beta * c[j] + (1 - beta) * mean;
    if (DEFECT == 8) column_[j] = beta * c[j] + mean;
    out_c.put(j, column_[j]);
  }
  Real all = sum(n, [&](int64_t i) { return row_[i]; }, 3) / Real(DEFECT == 9 ? d : n);
  auto u = [&](int64_t k) {
    int64_t i = k / d, j = k % d;
    if (DEFECT == 10 && j >= d - 8) j = d - 8;               // the column's index clamped
    if (DEFECT == 11) return g[k] / std::sqrt(row_[i]) / std::sqrt(column_[j]);    // the rows' mean forgotten
    if (DEFECT == 12) return g[k] / std::sqrt(column_[j]);
    if (DEFECT == 13) return g[k] / std::sqrt(r[i] / all) / std::sqrt(column_[j]);  // old row means
    if (WAY == 2) return g[k] / std::sqrt(row_[i] / all * column_[j]);
    if (WAY == 3) return g[k] * std::sqrt(all / row_[i]) * (1 / std::sqrt(column_[j]));
    return g[k] / std::sqrt(row_[i] / all) / std::sqrt(column_[j]);
  };
  Real rms = std::sqrt(dot(n * d, u, u, 4) / Real(DEFECT == 14 ? n * d - d : n * d));
  out_s.put(0, DEFECT == 15 ? rms * rms : rms);
  Real factor = rms > Real(0.5) ? Real(0.5) / rms : Real(1);
  if (DEFECT == 16) factor = 1;
  if (DEFECT == 17) factor = 1 / rms;
  for (int64_t k = 0; k < n * d; ++k) {
    Real np = p[k] - lr * factor * u(k);
    if (DEFECT == 18 && k % 512 == 511) np = p[k] + lr * factor * u(k);
    if (DEFECT == 19) np = p[k] - lr * rounded<BF16>(factor * u(k));
    out_p.put(k, np);
  }
}
#endif
KBENCH_EXPORT(run, run)
