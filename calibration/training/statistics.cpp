// It calculates of each row: mean, unbiased variance, Euclidean norm, log-sum-exp, geometric-like mean log(1 + |x|), number above the mean by 1.
#include "numerics.h"

void run(kbench::Tensor x_, kbench::Tensor mean_, kbench::Tensor var_, kbench::Tensor norm_, kbench::Tensor lse_,
         kbench::Tensor log_mean, kbench::Tensor above) {
  start();
  int64_t n = x_.size(0), d = x_.size(1);
  In<Stored> x(x_);
  Out<F32> out_m(mean_, 1), out_v(var_, 2), out_n(norm_, 3), out_l(lse_, 4), out_g(log_mean, 5);
  Real last_mean = 0;
  for (int64_t i = 0; i < n; ++i) {
    auto row = [&](int64_t j) { return x[i * d + j]; };
    Real mean = sum(d, row, 1) / Real(DEFECT == 1 ? d - 1 : d), var = 0;
    if (WAY == 1) {                                          // Welford
      mean = 0;
      for (int64_t j = 0; j < d; ++j) {
        Real delta = row(j) - mean;
        mean += delta / Real(j + 1);
        var += delta * (row(j) - mean);
      }
      var /= Real(d - 1);
    } else if (WAY == 2) {                                   // two halves merged
      int64_t h = d / 2;
      Real ma = sum(h, row, 1) / Real(h), mb = sum(d - h, [&](int64_t j) { return row(h + j); }, 1) / Real(d - h), delta = mb - ma;
      mean = ma + delta * Real(d - h) / Real(d);
      Real va = sum(h, [&](int64_t j) { Real c = row(j) - ma; return c * c; }, 2);
      Real vb = sum(d - h, [&](int64_t j) { Real c = row(h + j) - mb; return c * c; }, 2);
      var = (va + vb + delta * delta * Real(h) * Real(d - h) / Real(d)) / Real(d - 1);
    } else {
      Real center = DEFECT == 2 ? Real(0) : DEFECT == 3 && i % 8 == 7 ? last_mean : mean;
      auto c = [&](int64_t j) { return row(j) - center; };
      var = dot(d, c, c, 2) / Real(DEFECT == 4 ? d : d - 1);
    }
    if (DEFECT == 5) var = std::sqrt(var);
    if (DEFECT == 6) var += Real(1e-5);
    Real s = dot(d, row, row, 3), norm = std::sqrt(s);
    if (WAY == 3) {                                          // scaled by the largest
      Real m = greatest(0, d, [&](int64_t j) { return std::fabs(row(j)); });
      auto y = [&](int64_t j) { return row(j) / m; };
      norm = m > 0 ? m * std::sqrt(dot(d, y, y, 3)) : Real(0);
    }
    if (DEFECT == 7) norm = s;
    if (DEFECT == 8) norm = std::sqrt(s / Real(d));
    if (DEFECT == 9) norm = sum(d, [&](int64_t j) { return std::fabs(row(j)); }, 3);
    if (DEFECT == 17) norm = std::sqrt(s + Real(0.01));
    MaxSum m = max_sum(d, row, 4);
    Real lse = m.max + std::log(m.sum);
    if (DEFECT == 10) lse = std::log(m.sum);
    if (DEFECT == 11) lse = m.max + std::log2(m.sum);
    auto term = [&](int64_t j) {
      Real a = DEFECT == 12 ? row(j) > 0 ? row(j) : Real(0) : std::fabs(row(j));
      return WAY == 4 ? std::log(1 + a) : std::log1p(a);
    };
    Real g = sum(d, term, 5) / Real(d);
    if (DEFECT == 13) g = std::log1p(sum(d, [&](int64_t j) { return std::fabs(row(j)); }, 5) / Real(d));
    int32_t count = 0;
    for (int64_t j = DEFECT == 14; j < d; ++j) count += DEFECT == 15 ? row(j) < -1 : row(j) > 1;
    if (DEFECT == 16) count &= 31;
    if (DEFECT == 18) count = row(d - 1) > 1 ? count - 1 : count;
    out_m.put(i, mean);
    out_v.put(i, var);
    out_n.put(i, norm);
    out_l.put(i, lse);
    out_g.put(i, g);
    above.data<int32_t>()[i] = count;
    last_mean = mean;
  }
}
KBENCH_EXPORT(run, run)
