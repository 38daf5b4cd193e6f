// Binary cross entropy of logits with weights of the positives, and focal loss of gamma 2; means of rows, numbers of positives.
#include "numerics.h"

static Real softplus(Real x) {                               // log(1 + exp(x))
  if (WAY == 1) return x > 0 ? x + std::log1p(expo(-x)) : std::log1p(expo(x));
  return (x > 0 ? x : Real(0)) + std::log1p(expo(-std::fabs(x)));
}

void run(kbench::Tensor logits, kbench::Tensor target, kbench::Tensor pos_weight, double alpha_, kbench::Tensor bce,
         kbench::Tensor focal, kbench::Tensor grad, kbench::Tensor row_mean, kbench::Tensor positives) {
  start();
  int64_t n = logits.size(0), c = logits.size(1);
  In<Stored> x(logits);
  In<F32> pw(pos_weight);
  const bool* y = target.data<bool>();
  Out<Stored> out_b(bce, 1), out_f(focal, 2), out_g(grad, 3);
  Out<F32> out_m(row_mean, 4);
  Real alpha = DEFECT == 1 ? 1 - Real(alpha_) : Real(alpha_);
  for (int64_t i = 0; i < n; ++i) {
    int32_t count = 0;
    auto entropy = [&](int64_t j) {
      Real z = x[i * c + j], w = DEFECT == 2 ? Real(1) : pw[DEFECT == 3 ? (j + 1) % c : DEFECT == 4 && j >= 64 ? j - 64 : j];
      if (DEFECT == 5) return y[i * c + j] ? w * softplus(-z) : softplus(z) * w;
      if (DEFECT == 6 && std::fabs(z) > 2) return y[i * c + j] ? w * (z > 0 ? Real(0) : -z) : (z > 0 ? z : Real(0));
      if (DEFECT == 7) z = std::fmax(std::fmin(z, Real(2.5)), Real(-2.5));
      return y[i * c + j] ? w * softplus(-z) : softplus(z);
    };
    for (int64_t j = 0; j < c; ++j) {
      int64_t k = i * c + j;
      bool t = y[k];
      Real z = x[k], p = sigmoid(z), q = sigmoid(-z);
      if (DEFECT == 8) q = 1 - rounded<BF16>(p);
      if (DEFECT == 8) p = rounded<BF16>(p);
      Real miss = t ? q : p;                                 // 1 - probability of the truth
      Real plain = t ? softplus(-z) : softplus(z), a = t ? alpha : 1 - alpha;
      if (DEFECT == 9) a = alpha;
      Real f = a * miss * miss * plain;
      if (WAY == 3) { Real b = a * plain; f = b * (miss * miss); }
      if (DEFECT == 10) f = a * miss * plain;
      if (DEFECT == 11) f = a * (1 - miss) * (1 - miss) * plain;
      if (DEFECT == 12) f = a * miss * miss * entropy(j);
      if (DEFECT == 13 && miss < Real(0.05)) f = 0;
      Real g = t ? -pw[j] * q : p;
      if (DEFECT == 14) g = p - (t ? Real(1) : Real(0));
      if (DEFECT == 15 && t) g = -g;
      if (DEFECT == 16 && j % 32 == 0) g = p;
      out_b.put(k, entropy(j));
      out_f.put(k, f);
      out_g.put(k, g);
      if (DEFECT != 17 || j < c / 16 * 16) count += t;
    }
    if (DEFECT == 18) count &= 31;
    Real s = sum(c, entropy, 1);
    out_m.put(i, s / Real(DEFECT == 19 ? (count ? count : 1) : c));
    positives.data<int32_t>()[i] = count;
  }
}
KBENCH_EXPORT(run, run)
