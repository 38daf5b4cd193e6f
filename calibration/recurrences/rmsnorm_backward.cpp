// Gradients of RMSNorm by input and weight: dx = r (w dy - x r^2 mean(w dy x)), dw = sum over rows of dy x r; r itself in float32.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor w_, kbench::Tensor dy_, kbench::Tensor dx_, kbench::Tensor dw_, kbench::Tensor r_) {
  reductions = 0;
  const int64_t N = x_.size(0), D = x_.size(1);
  const Stored *x = x_.data<Stored>(), *w = w_.data<Stored>(), *dy = dy_.data<Stored>();
  const Real eps = has(30) ? Real(0) : has(31) ? Real(1e-1L) : Real(1e-2L);
  std::vector<Real> r(N);
  for (int64_t n = 0; n < N; ++n) {
    auto X = [&](int64_t i) { return Real(get(x[n * D + i])); };
    auto G = [&](int64_t i) {
      const int64_t row = has(32) && n == N - 1 ? n - 1 : n;
      Real weight = has(33) ? Real(1) : Real(get(w[has(34) ? D - 1 - i : i]));
      return weight * get(dy[row * D + i]);
    };
    Real mean = divide(reduce(D, [&](int64_t i) { return X(i) * X(i); }), Real(has(35) ? D - 1 : D));
    r[n] = has(36) ? 1 / (std::sqrt(mean) + eps) : inverse_root(mean + eps);
    if (has(37)) r[n] = in_bf16(r[n]);
    if (has(47)) r[n] = in_f16(r[n]);
    Real c = ALT == 1 && ACC ? divide(reduce(D, [&](int64_t i) { return G(i) * (X(i) * r[n]); }), Real(D))
                             : divide(reduce(D, [&](int64_t i) { return G(i) * X(i); }), Real(D)) * r[n];
    if (has(38)) c *= D;
    if (has(39) && n % 16 == 15) c = 0;
    if (has(48)) c = in_bf16(c);
    for (int64_t i = 0; i < D; ++i) {
      Real xh = X(i) * r[n];
      Real d = ALT == 2 && ACC ? r[n] * std::fma(-xh, c, G(i)) : ALT == 3 && ACC ? r[n] * G(i) - r[n] * xh * c : r[n] * (G(i) - xh * c);
      if (has(40)) d = G(i) - xh * c;
      if (has(41)) d = r[n] * (G(i) + xh * c);
      if (has(42)) d = r[n] * G(i);  // the mean square counts as a constant
      if (has(43) && i >= D / 32 * 32) d = r[n] * G(i);
      if (has(49)) d = r[n] * (G(i) - X(i) * c);
      store(dx_.data<Stored>(), n * D + i, d);
    }
    store(r_.data<float>(), n, r[n]);
  }
  for (int64_t i = 0; i < D; ++i) {
    Real sum = reduce(N, [&](int64_t n) {
      Real xh = get(x[n * D + i]) * r[has(44) ? std::max<int64_t>(n - 1, 0) : n];
      if (has(50)) xh *= get(w[i]);  // the weight once too often
      return get(dy[n * D + i]) * xh;
    });
    if (has(45)) sum /= N;
    if (has(46) && i % 32 == 31) sum -= Real(get(dy[i])) * get(x[i]) * r[0];
    store(dw_.data<Stored>(), i, sum);
  }
}
KBENCH_EXPORT(run, run)
