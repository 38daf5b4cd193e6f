// KIND 0: cosine similarities and Euclidean distances of all pairs, and the most similar one. KIND 1: InfoNCE in both
// directions at a temperature, and how many negatives are more similar than the positive.
#include "numerics.h"

static Real cosine_[1 << 16];
static Real na_[1024], nb_[1024];

// Cosine similarities of the rows of a and b into cosine_.
static void cosines(In<Stored> a, In<Stored> b, int64_t n, int64_t m, int64_t d) {
  Real eps = DEFECT == 1 ? Real(1) : Real(1e-8);
  auto length = [&](In<Stored> x, int64_t i) {
    auto e = [&](int64_t k) { return x[i * d + k]; };
    Real s = dot(d, e, e, 1);
    if (DEFECT == 2) return s;
    if (DEFECT == 3) return std::sqrt(s + Real(0.1));
    Real r = std::sqrt(s);
    return r > eps ? r : eps;
  };
  for (int64_t i = 0; i < n; ++i) na_[i] = DEFECT == 4 && i % 8 == 5 ? na_[i - 1] : length(a, i);
  for (int64_t j = 0; j < m; ++j) nb_[j] = DEFECT == 5 ? Real(1) : length(b, j);
  for (int64_t i = 0; i < n; ++i) for (int64_t j = 0; j < m; ++j) {
    int64_t at = DEFECT == 6 && j >= m - 2 ? m - 3 : j;
    auto x = [&](int64_t k) { return a[i * d + k]; };
    auto y = [&](int64_t k) { return b[at * d + k]; };
    Real c;
    if (WAY == 1) { Real ra = 1 / na_[i], rb = 1 / nb_[j]; c = dot(d, x, y, 2) * ra * rb; }
    else if (WAY == 2) c = dot(d, [&](int64_t k) { return x(k) / na_[i]; }, [&](int64_t k) { return y(k) / nb_[j]; }, 2);
    else c = dot(d, x, y, 2) / (na_[i] * nb_[j]);
    if (DEFECT == 7) c = std::fabs(c);
    if (DEFECT == 8) c *= Real(1.002);
    cosine_[i * m + j] = c;
  }
}

#if KIND == 0
void run(kbench::Tensor a_, kbench::Tensor b_, kbench::Tensor similarity, kbench::Tensor distance, kbench::Tensor best) {
  start();
  int64_t n = a_.size(0), m = b_.size(0), d = a_.size(1);
  In<Stored> a(a_), b(b_);
  Out<Stored> out_s(similarity, 1);
  Out<F32> out_d(distance, 2);
  cosines(a, b, n, m, d);
  for (int64_t i = 0; i < n; ++i) {
    int64_t top = 0;
    for (int64_t j = 0; j < m; ++j) {
      int64_t from = DEFECT == 9 ? j * n / m : i;            // wrong row of a
      auto diff = [&](int64_t k) { return a[from * d + k] - b[j * d + k]; };
      Real s = dot(d, diff, diff, 3);
      if (DEFECT == 10) s = sum(d, [&](int64_t k) { return std::fabs(diff(k)); }, 3);
      Real r = DEFECT == 11 ? s : std::sqrt(s);
      if (DEFECT == 12) r = std::sqrt(s + Real(1e-3));
      if (DEFECT == 13 && j % 16 == 15) r = std::sqrt(Real(float(F16::get(F16::put(s)))));
      if (DEFECT == 14) r = std::sqrt(2 - 2 * cosine_[i * m + j]);
      out_d.put(i * m + j, r);
      out_s.put(DEFECT == 15 && n == m ? j * n + i : i * m + j, DEFECT == 16 ? 1 - cosine_[i * m + j] : cosine_[i * m + j]);
      if (cosine_[i * m + j] > cosine_[i * m + top] && !(DEFECT == 17 && j == m - 1) && !(DEFECT == 18 && j >= 32)) top = j;
      if (DEFECT == 19 && cosine_[i * m + j] < cosine_[i * m + top]) top = j;
      if (DEFECT == 20 && j == 0) top = 1;
    }
    best.data<int32_t>()[i] = int32_t(top);
  }
}
#else
void run(kbench::Tensor a_, kbench::Tensor b_, double temperature, kbench::Tensor logits, kbench::Tensor loss_a,
         kbench::Tensor loss_b, kbench::Tensor harder) {
  start();
  int64_t n = a_.size(0), d = a_.size(1);
  Out<F32> out_l(logits, 1), out_a(loss_a, 2), out_b(loss_b, 3);
  cosines(In<Stored>(a_), In<Stored>(b_), n, n, d);
  Real temp = Real(temperature);
  for (int64_t k = 0; k < n * n; ++k) {
    cosine_[k] = DEFECT == 9 ? cosine_[k] * temp : WAY == 3 ? cosine_[k] * (1 / temp) : cosine_[k] / temp;
    out_l.put(k, cosine_[k]);
  }
  for (int64_t i = 0; i < n; ++i) {
    auto row = [&](int64_t j) { return cosine_[i * n + j]; };
    auto column = [&](int64_t j) { return cosine_[j * n + i]; };
    int32_t count = 0;
    for (int64_t j = 0; j < (DEFECT == 10 ? n - 1 : n); ++j) count += DEFECT == 11 ? row(j) >= row(i) : row(j) > row(i);
    if (DEFECT == 12) count &= 15;
    harder.data<int32_t>()[i] = count;
    auto loss = [&](auto x, int64_t positive) {
      MaxSum m = max_sum(n, x, 4);
      Real s = m.sum;
      if (DEFECT == 13) s -= expo(x(i) - m.max);             // the positive is no negative
      Real value = m.max + std::log(s) - x(positive);
      if (WAY == 4) value = std::log(s) - (x(positive) - m.max);
      if (DEFECT == 14) value += x(positive) - m.max;
      return value;
    };
    out_a.put(i, loss(row, DEFECT == 15 ? (i + 1) % n : i));
    out_b.put(i, DEFECT == 16 ? loss(row, i) : DEFECT == 17 ? loss(column, n - 1 - i) : loss(column, i) * (DEFECT == 18 ? Real(0.5) : Real(1)));
  }
}
#endif
KBENCH_EXPORT(run, run)
