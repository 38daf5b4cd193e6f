// Distillation: KL of the student from the teacher at a temperature, the teacher's entropy, gradient by the student.
#include "numerics.h"

void run(kbench::Tensor student, kbench::Tensor teacher, double temperature, kbench::Tensor kl, kbench::Tensor entropy,
         kbench::Tensor grad) {
  start();
  int64_t n = student.size(0), v = student.size(1);
  In<Stored> s(student), t(teacher);
  Out<F32> out_kl(kl, 1), out_entropy(entropy, 2);
  Out<Stored> out_grad(grad, 3);
  Real temp = Real(temperature), cold = 1 / temp;
  auto scaled = [&](Real x) { return WAY == 1 ? x * cold : x / temp; };
  for (int64_t i = 0; i < n; ++i) {
    int64_t ti = DEFECT == 8 && i % 8 == 7 ? i - 1 : i;      // the teacher's row before
    auto a = [&](int64_t j) { return scaled(s[i * v + j]); };
    auto b = [&](int64_t j) { return DEFECT == 3 ? t[ti * v + j] : scaled(t[ti * v + j]); };
    MaxSum ma = max_sum(v, a), mb = max_sum(v, b, 2);
    Real za = ma.max + std::log(ma.sum), zb = mb.max + std::log(mb.sum);
    auto log_s = [&](int64_t j) { return WAY == 2 ? (a(j) - ma.max) - std::log(ma.sum) : a(j) - za; };
    auto log_t = [&](int64_t j) { return WAY == 2 ? (b(j) - mb.max) - std::log(mb.sum) : b(j) - zb; };
    auto p = [&](int64_t j) { return WAY == 3 ? expo(b(j) - mb.max) / mb.sum : expo(log_t(j)); };
    auto q = [&](int64_t j) { return WAY == 3 ? expo(a(j) - ma.max) / ma.sum : expo(log_s(j)); };
    auto difference = [&](int64_t j) {
      Real d = log_t(j) - log_s(j);
      if (DEFECT == 7 && d < 0) d = 0;                       // "a divergence is never negative"
      if (DEFECT == 1) return -d;
      if (DEFECT == 12) d = log_t(j) - std::log(q(j) + Real(1e-4));
      if (DEFECT == 6) d = -log_s(j);
      return d;
    };
    Real value = dot(v, [&](int64_t j) {
      Real w = DEFECT == 1 ? q(j) : p(j);
      return DEFECT == 10 && w < Real(1e-3) ? Real(0) : w;
    }, difference, 3);
    if (DEFECT == 11) value /= Real(v);
    if (DEFECT != 2) value *= temp * temp;
    if (DEFECT == 13) value *= Real(1.0005);
    Real h = -dot(v, p, log_t, 4);
    if (WAY == 4) h = zb - dot(v, p, b, 4);
    if (DEFECT == 14) h *= Real(1.44269504088896340736L);    // in bits
    out_kl.put(i, value);
    out_entropy.put(i, h);
    for (int64_t j = 0; j < v; ++j) {
      Real g = (q(j) - p(j)) * temp;
      if (DEFECT == 4) g = (q(j) - p(j)) / temp;
      if (DEFECT == 5 && j == v - 1) g = -g;
      if (DEFECT == 9) g = q(j) * (1 - p(j)) * temp;
      if (DEFECT == 15) g = (rounded<BF16>(q(j)) - rounded<BF16>(p(j))) * temp;
      if (DEFECT == 16 && j >= 256) g = (q(j) - p(j - 256)) * temp;   // the teacher's tile was not reloaded
      out_grad.put(i * v + j, g);
    }
  }
}
KBENCH_EXPORT(run, run)
