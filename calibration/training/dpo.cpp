// Direct preference optimisation: log-probabilities of the labels, their sums over each sequence, and the loss of each pair
// (rows 2 i and 2 i + 1: chosen and rejected).
#include "numerics.h"

static Real policy_[1024], reference_[1024];

void run(kbench::Tensor logits, kbench::Tensor labels, kbench::Tensor ref_logps, kbench::Tensor seq_lens, double beta_,
         kbench::Tensor token_logps, kbench::Tensor seq_logps, kbench::Tensor loss, kbench::Tensor reward, kbench::Tensor prefers) {
  start();
  int64_t rows = logits.size(0), t = logits.size(1), v = logits.size(2);
  In<Stored> x(logits);
  In<F32> ref(ref_logps);
  const int32_t *label = labels.data<int32_t>(), *lens = seq_lens.data<int32_t>();
  Out<F32> out_t(token_logps, 1), out_s(seq_logps, 2), out_l(loss, 3), out_r(reward, 4);
  Real beta = Real(beta_);
  static Real logp[4096];
  for (int64_t i = 0; i < rows; ++i) {
    int64_t len = lens[i];
    if (DEFECT == 1) len = len < t ? len + 1 : t;
    if (DEFECT == 2) len = len > 0 ? len - 1 : 0;
    if (DEFECT == 3) len = t;
    if (DEFECT == 4) len = lens[i / 2 * 2];                  // both of a pair by the chosen one's
    for (int64_t s = 0; s < t; ++s) {
      auto row = [&](int64_t j) { return x[(i * t + s) * v + j]; };
      MaxSum m = max_sum(v, row, 1);
      int64_t at = label[DEFECT == 5 && s + 1 < t ? i * t + s + 1 : i * t + s];
      if (DEFECT == 6 && at == v - 1) at = 0;
      Real lp = WAY == 1 ? (row(at) - m.max) - std::log(m.sum) : row(at) - (m.max + std::log(m.sum));
      if (DEFECT == 7) lp = row(at);
      if (DEFECT == 8) lp *= Real(1.44269504088896340736L);
      logp[s] = lp;
      out_t.put(i * t + s, s < len || DEFECT == 9 ? lp : Real(0));
    }
    policy_[i] = sum(len, [&](int64_t s) { return logp[s]; }, 2);
    reference_[i] = sum(DEFECT == 10 ? t : len, [&](int64_t s) { return ref[i * t + s]; }, 3);
    if (DEFECT == 11 && len) { policy_[i] /= Real(len); reference_[i] /= Real(len); }
    out_s.put(i, policy_[i]);
  }
  for (int64_t i = 0; i < rows / 2; ++i) {
    int64_t c = 2 * i, r = 2 * i + 1;
    if (DEFECT == 12) { c = i; r = i + rows / 2; }           // halves for pairs
    Real margin = WAY == 3 ? (policy_[c] - policy_[r]) - (reference_[c] - reference_[r])
                           : (policy_[c] - reference_[c]) - (policy_[r] - reference_[r]);
    if (DEFECT == 13) margin = policy_[c] - policy_[r];
    if (DEFECT == 14) margin = -margin;
    Real z = DEFECT == 15 ? margin : beta * margin;
    Real soft = (z < 0 ? -z : Real(0)) + std::log1p(expo(-std::fabs(z)));   // -log sigmoid(z)
    if (DEFECT == 16) soft = z < 0 ? -z : Real(0);
    if (DEFECT == 17) soft = 1 / (1 + expo(z));
    if (DEFECT == 18 && z < -3) soft = 3;
    out_l.put(i, soft);
    out_r.put(i, DEFECT == 19 ? margin : z);
    prefers.data<bool>()[i] = DEFECT == 20 ? policy_[c] > policy_[r] : z > 0;
  }
}
KBENCH_EXPORT(run, run)
