// KIND 0: group norm with SiLU; outputs also mean and 1 / std of each group. KIND 1: batch norm in training.
#include "numerics.h"

struct Moments { Real mean, var; };   // var: mean square of the differences

// It takes `n` numbers x(i).
template <class X> static Moments moments(int64_t n, X x, int64_t minus) {
  Real mean = 0, m2 = 0;
  if (WAY == 1) {                                            // Welford
    for (int64_t i = 0; i < n; ++i) {
      Real delta = x(i) - mean;
      mean += delta / Real(i + 1);
      m2 += delta * (x(i) - mean);
    }
  } else if (WAY == 2) {                                     // blocks of 16, merged
    Real count = 0;
    for (int64_t t = 0; t < n; t += 16) {
      int64_t w = n - t < 16 ? n - t : 16;
      Real mb = sum(w, [&](int64_t i) { return x(t + i); }) / Real(w);
      Real vb = sum(w, [&](int64_t i) { Real c = x(t + i) - mb; return c * c; }, 2);
      Real delta = mb - mean, total = count + Real(w);
      mean += delta * Real(w) / total;
      m2 += vb + delta * delta * count * Real(w) / total;
      count = total;
    }
  } else {
    mean = sum(n, x) / Real(n);
    auto c = [&](int64_t i) { return x(i) - mean; };
    m2 = dot(n, c, c, 2);
  }
  return {mean, m2 / Real(n - minus)};
}

static Real inverse_std(Real var, Real eps) {
  if (DEFECT == 3) return 1 / (std::sqrt(var) + eps);
  return WAY == 3 ? std::sqrt(1 / (var + eps)) : 1 / std::sqrt(var + eps);
}

#if KIND == 0
void run(kbench::Tensor x_, kbench::Tensor weight, kbench::Tensor bias, kbench::Tensor out, kbench::Tensor mean,
         kbench::Tensor rstd) {
  start();
  int64_t n = x_.size(0), c = x_.size(1), l = x_.size(2), groups = mean.size(1), per = c / groups;
  In<Stored> x(x_), w(weight), b(bias);
  Out<Stored> y(out, 1);
  Out<F32> out_mean(mean, 2), out_rstd(rstd, 3);
  Moments last = {0, 1};
  for (int64_t i = 0; i < n; ++i) for (int64_t g = 0; g < groups; ++g) {
    int64_t from = (i * c + g * per) * l;
    int64_t count = DEFECT == 4 ? (per - 1) * l : DEFECT == 5 ? l : per * l;   // 4: last channel unseen, 5: instance norm
    Moments m = moments(count, [&](int64_t k) { return x[from + k]; }, DEFECT == 2);
    if (DEFECT == 6 && i % 4 == 3 && g == 2) m = last;
    last = m;
    Real r = inverse_std(m.var, DEFECT == 1 ? Real(1e-6) : Real(1e-5));
    out_mean.put(i * groups + g, m.mean);
    out_rstd.put(i * groups + g, DEFECT == 7 ? m.var : r);
    for (int64_t k = 0; k < per * l; ++k) {
      int64_t ch = g * per + k / l, at = DEFECT == 8 ? g : DEFECT == 9 ? k / l : ch;  // weight of the group / place in it
      if (DEFECT == 10 && k % l == l - 1 && ch + 1 < c) at = ch + 1;
      Real h = (x[from + k] - m.mean) * r, v;
      if (WAY == 4) { Real a = r * w[at]; v = x[from + k] * a + (b[at] - m.mean * a); }
      else if (WAY == 5) v = std::fma(h, w[at], b[at]);
      else v = h * w[at] + b[at];
      if (DEFECT == 11) v = h * w[at];
      if (DEFECT == 12) v = h * (1 + w[at]) + b[at];
      if (DEFECT == 13) v = (h + b[at]) * w[at];
      if (DEFECT == 14) v = x[from + k] * r * w[at] + b[at];
      Real s = v * sigmoid(v);
      if (DEFECT == 15) s = v;
      if (DEFECT == 16) s = v * Real(0.5) * (1 + std::erf(v * Real(0.70710678118654752440L)));
      if (DEFECT == 17) s = v * std::fmin(std::fmax(v / 6 + Real(0.5), Real(0)), Real(1));
      if (DEFECT == 18 && v < -4) s = 0;
      y.put(from + k, s);
    }
  }
}
#else
void run(kbench::Tensor x_, kbench::Tensor weight, kbench::Tensor bias, kbench::Tensor run_mean, kbench::Tensor run_var,
         kbench::Tensor out, kbench::Tensor mean, kbench::Tensor rstd, kbench::Tensor new_mean, kbench::Tensor new_var) {
  start();
  int64_t n = x_.size(0), c = x_.size(1), l = x_.size(2), count = n * l;
  In<Stored> x(x_);
  In<F32> w(weight), b(bias), rm(run_mean), rv(run_var);
  Out<Stored> y(out, 1);
  Out<F32> out_mean(mean, 2), out_rstd(rstd, 3), out_rm(new_mean, 4), out_rv(new_var, 5);
  Real momentum = DEFECT == 4 ? Real(0.9) : DEFECT == 5 ? Real(0.01) : Real(0.1), keep = 1 - momentum;
  for (int64_t ch = 0; ch < c; ++ch) {
    auto at = [&](int64_t k) { return ((k / l) * c + ch) * l + k % l; };
    int64_t seen = DEFECT == 6 ? count - l : DEFECT == 7 ? count / 64 * 64 : count;
    Moments m = moments(seen, [&](int64_t k) { return x[at(k)]; }, 0);
    Real unbiased = m.var * Real(count) / Real(count - 1);
    Real r = inverse_std(DEFECT == 2 ? unbiased : m.var, DEFECT == 1 ? Real(1e-6) : DEFECT == 8 ? Real(1e-3) : Real(1e-5));
    out_mean.put(ch, m.mean);
    out_rstd.put(ch, DEFECT == 9 ? m.var : r);
    out_rm.put(ch, DEFECT == 10 ? rm[ch] : DEFECT == 11 ? rm[ch] + momentum * m.mean : WAY == 5 ? rm[ch] + momentum * (m.mean - rm[ch])
                                                                                      : keep * rm[ch] + momentum * m.mean);
    Real v = DEFECT == 12 ? m.var : DEFECT == 13 ? std::sqrt(unbiased) : unbiased;
    out_rv.put(ch, WAY == 5 ? rv[ch] + momentum * (v - rv[ch]) : keep * rv[ch] + momentum * v);
    Real mu = DEFECT == 14 ? keep * rm[ch] + momentum * m.mean : m.mean;   // normalised by the running mean
    int64_t wi = DEFECT == 15 && ch >= 32 ? ch - 32 : ch, bi = DEFECT == 16 && ch == c - 1 ? 0 : ch;
    for (int64_t k = 0; k < count; ++k) {
      Real h = (x[at(k)] - mu) * r;
      Real v = WAY == 4 ? x[at(k)] * (r * w[wi]) + (b[bi] - mu * r * w[wi]) : h * w[wi] + b[bi];
      if (DEFECT == 17 && k / l == n - 1) v = h * w[wi];
      if (DEFECT == 18 && k % l == 0 && k) v = (x[at(k - 1)] - mu) * r * w[wi] + b[bi];
      y.put(at(k), v);
    }
  }
}
#endif
KBENCH_EXPORT(run, run)
