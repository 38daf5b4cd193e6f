// Gradient of scaled softmax: p = softmax(scale x) is computed again; dx = scale p (dy - sum(p dy)).
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor dy_, kbench::Tensor dx_, kbench::Tensor dot_) {
  reductions = 0;
  const int64_t N = x_.size(0), D = x_.size(1);
  const Stored *x = x_.data<Stored>(), *dy = dy_.data<Stored>();
  const Real scale = has(30) ? Real(0.26L) : Real(0.25L);
  std::vector<Real> p(D);
  for (int64_t n = 0; n < N; ++n) {
    const Stored *row = x + n * D, *up = dy + (has(31) && n == N - 1 ? n - 1 : n) * D;
    Real top = -INFINITY;
    for (int64_t i = 0; i < D; ++i) top = std::max(top, Real(get(row[i])));
    auto e = [&](int64_t i) { return has(32) ? std::exp2(scale * (get(row[i]) - top)) : ALT == 2 && ACC ? expo(get(row[i]) * scale - top * scale) : expo(scale * (get(row[i]) - top)); };
    Real sum = reduce(D, e);
    if (has(33)) sum += 1;
    Real log_sum = std::log(sum);
    for (int64_t i = 0; i < D; ++i) {
      p[i] = ALT == 1 && ACC ? expo(scale * (get(row[i]) - top) - log_sum) : divide(e(i), sum);
      if (has(34)) p[i] = in_bf16(p[i]);
      if (has(35)) p[i] = in_f16(p[i]);
      if (has(36) && p[i] < Real(0.004)) p[i] = 0;  // small probabilities are flushed
    }
    Real dot = ALT == 3 && ACC ? divide(reduce(D, [&](int64_t i) { return e(i) * get(up[i]); }), sum)
                               : reduce(D, [&](int64_t i) { return p[i] * get(up[i]); });
    if (has(37)) dot /= D;
    if (has(38) && n % 16 == 15) dot = 0;
    if (has(39)) dot = in_bf16(dot);
    if (has(47)) dot = in_f16(dot);
    for (int64_t i = 0; i < D; ++i) {
      Real g = get(up[i]);
      Real d = ALT == 4 && ACC ? std::fma(-p[i], dot, p[i] * g) * scale : scale * p[i] * (g - dot);
      if (has(40)) d = p[i] * (g - dot);               // the scale's part is missing
      if (has(41)) d = scale * p[i] * (g + dot);
      if (has(42)) d = scale * (p[i] * g - dot);
      if (has(43)) d = scale * p[i] * (1 - p[i]) * g;  // the diagonal of the Jacobian alone
      if (has(44) && i >= D / 32 * 32) d = scale * p[i] * g;
      if (has(45) && i == 0) d = 0;
      if (has(46) && g < Real(-2)) d = -d;
      store(dx_.data<Stored>(), n * D + i, d);
    }
    store(dot_.data<float>(), n, dot);
  }
}
KBENCH_EXPORT(run, run)
