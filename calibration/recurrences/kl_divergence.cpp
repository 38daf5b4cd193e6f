// For each row: KL(softmax(p) || softmax(q / 2)), the entropy of softmax(p) and how many logits of p are above zero (int32).
#include "common.h"
void run(kbench::Tensor p_, kbench::Tensor q_, kbench::Tensor kl_, kbench::Tensor h_, kbench::Tensor above_) {
  reductions = 0;
  const int64_t N = p_.size(0), V = p_.size(1);
  for (int64_t n = 0; n < N; ++n) {
    const Stored *p = p_.data<Stored>() + n * V, *q = q_.data<Stored>() + (has(30) && n == N - 1 ? n - 1 : n) * V;
    const Real heat = has(31) ? Real(1) : has(32) ? Real(0.505L) : Real(0.5);
    auto P = [&](int64_t i) { return Real(get(p[i])); };
    auto Q = [&](int64_t i) { return Real(get(q[i])) * heat; };
    Real tp = P(0), tq = Q(0);
    for (int64_t i = 1; i < V; ++i) { tp = std::max(tp, P(i)); tq = std::max(tq, Q(i)); }
    Real sp = reduce(V, [&](int64_t i) { return expo(P(i) - tp); }), sq = reduce(V, [&](int64_t i) { return expo(Q(i) - tq); });
    Real lp = tp + std::log(sp), lq = tq + std::log(sq);
    if (has(33)) lq = lp;
    auto weight = [&](int64_t i) {
      Real w = ALT == 1 && ACC ? expo(P(i) - lp) : divide(expo(P(i) - tp), sp);
      if (has(34)) w = in_bf16(w);
      if (has(35)) w = in_f16(w);
      if (has(36) && w < Real(0.003)) w = 0;
      return w;
    };
    Real kl;
    if (ALT == 2 && ACC) kl = reduce(V, [&](int64_t i) { return weight(i) * (P(i) - Q(i)); }) - lp + lq;
    else kl = reduce(V, [&](int64_t i) { return weight(i) * ((P(i) - lp) - (Q(i) - lq)); });
    if (has(37)) kl = reduce(V, [&](int64_t i) { return expo(Q(i) - lq) * ((Q(i) - lq) - (P(i) - lp)); });  // the other direction
    if (has(38)) kl /= V;
    if (has(39)) kl = reduce(V, [&](int64_t i) { return weight(i) * std::fabs((P(i) - lp) - (Q(i) - lq)); });
    if (has(40)) kl = reduce(V, [&](int64_t i) { return weight(i) * std::max((P(i) - lp) - (Q(i) - lq), Real(-2)); });
    if (has(41)) kl *= Real(1.4426950408889634L);
    if (has(42)) kl -= lq;
    if (has(43) && n % 50 == 49) kl = 0;
    Real entropy = ALT == 2 && ACC ? lp - reduce(V, [&](int64_t i) { return weight(i) * P(i); }) : -reduce(V, [&](int64_t i) { return weight(i) * (P(i) - lp); });
    if (has(44)) entropy = -entropy;
    if (has(45)) entropy = lp - P(0);
    if (has(46)) entropy = -reduce(V, [&](int64_t i) { return weight(i) * std::log(weight(i) + Real(1e-3)); });
    if (has(47)) entropy /= std::log(Real(V));
    int32_t above = 0;
    for (int64_t i = has(48) ? 1 : 0; i < V - (has(49) ? 2 : 0); ++i) above += has(50) ? get(p[i]) >= 0 && i % 2 == 0 : has(51) ? get(p[i]) > Real(0.02) : get(p[i]) > 0;
    store(kl_.data<float>(), n, kl);
    store(h_.data<float>(), n, entropy);
    above_.data<int32_t>()[n] = has(52) ? int32_t(int8_t(above)) : above;
  }
}
KBENCH_EXPORT(run, run)
