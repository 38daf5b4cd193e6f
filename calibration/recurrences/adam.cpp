// One step of AdamW: moments in float32, the weight in float32 or 16 bits.
#include "common.h"
#include <type_traits>
void run(kbench::Tensor p_, kbench::Tensor g_, kbench::Tensor m_, kbench::Tensor v_, int64_t step, kbench::Tensor np_, kbench::Tensor nm_,
         kbench::Tensor nv_) {
  reductions = 0;
  const int64_t n = p_.numel();
  const Stored *p = p_.data<Stored>(), *g = g_.data<Stored>();
  const float *m = m_.data<float>(), *v = v_.data<float>();
  const Real lr = Real(0.5L), b1 = has(30) ? Real(0.95L) : Real(0.9L), b2 = has(31) ? Real(0.98L) : Real(0.99L), eps = has(32) ? Real(1e-2L) : has(33) ? Real(0) : Real(1e-3L);
  const int64_t t = has(34) ? step - 1 : has(35) ? step + 1 : step;
  // As on a host: in double at least, and 1 - beta rounded once.
  using Wide = std::conditional_t<ACC == 0, long double, double>;
  const Wide B1 = has(30) ? 0.95L : 0.9L, B2 = has(31) ? 0.98L : 0.99L;
  const Real d1 = Real(1 - B1), d2 = Real(1 - B2);
  Real c1 = Real(1 - std::pow(B1, Wide(t))), c2 = Real(1 - std::pow(B2, Wide(t)));
  if (ALT == 4 && ACC) { c1 = Real(-std::expm1(t * std::log(0.9))); c2 = Real(-std::expm1(t * std::log(0.99))); }
  if (has(36)) c1 = 1;
  if (has(37)) c2 = 1;
  for (int64_t i = 0; i < n; ++i) {
    Real w = get(p[i]), d = get(g[i]);
    if (has(38)) d += Real(0.1L) * w;  // Adam with L2 instead of AdamW
    if (has(39) && d < Real(-2.5)) d = -d;
    if (has(40)) d = std::min(std::max(d, Real(-1.5)), Real(1.5));
    Real old_m = m[has(41) && i ? i - 1 : i], old_v = v[i];
    Real a = ALT == 1 && ACC ? std::fma(d1, d - old_m, old_m) : b1 * old_m + d1 * d;
    Real s = ALT == 1 && ACC ? std::fma(d2 * d, d, b2 * old_v) : b2 * old_v + d2 * d * d;
    if (has(42)) s = b2 * old_v + d2 * std::fabs(d);
    if (has(43)) s = std::max(s, old_v);  // amsgrad
    if (has(44)) a = in_bf16(a);
    if (has(45)) s = in_bf16(s);
    if (has(54)) s = in_f16(s);
    if (has(46)) a = b1 * old_m + d;      // without dampening
    Real root = ALT == 2 && ACC ? std::sqrt(s) * inverse_root(c2) : std::sqrt(divide(s, c2));
    Real move = divide(divide(a, c1), root + eps);
    if (ALT == 3 && ACC) move = divide(a * (std::sqrt(c2) / c1), std::sqrt(s) + eps * std::sqrt(c2));
    if (has(47)) move = a / c1 / std::sqrt(s / c2 + eps);
    if (has(48)) move = a / c1 / (std::sqrt(s) / std::sqrt(c2) + eps) + Real(0.1L) * w;  // decay twice
    if (has(49)) move = (b1 * a + d1 * d) / c1 / (root + eps);                     // Nesterov
    Real decay = has(50) ? Real(1) : 1 - lr * Real(0.1L);
    Real next = has(51) ? w + lr * move : has(52) ? (w - lr * move) * decay : w * decay - lr * move;
    if (has(53) && i >= n / 256 * 256) next = w;
    if (has(55)) next = w * decay - in_bf16(lr * move);
    if (has(56)) next = w * decay - lr * old_m / c1 / (root + eps);  // the moment of the step before
    store(np_.data<Stored>(), i, next);
    store(nm_.data<float>(), i, a);
    store(nv_.data<float>(), i, s);
  }
}
KBENCH_EXPORT(run, run)
