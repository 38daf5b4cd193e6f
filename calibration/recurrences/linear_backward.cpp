// Gradients of y = x w^T + b: dx = dy w, dw = dy^T x, db = sum of dy over rows.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor w_, kbench::Tensor dy_, kbench::Tensor dx_, kbench::Tensor dw_, kbench::Tensor db_) {
  reductions = 0;
  const int64_t N = x_.size(0), K = x_.size(1), M = w_.size(0);
  const Stored *x = x_.data<Stored>(), *w = w_.data<Stored>(), *dy = dy_.data<Stored>();
  auto factor = [](Stored s) { Real v = get(s); return has(30) ? in_tf32(v) : has(31) ? in_bf16(v) : v; };
  for (int64_t n = 0; n < N; ++n)
    for (int64_t k = 0; k < K; ++k) {
      Real v = reduce(M, [&](int64_t m) {
        int64_t row = has(32) && n == N - 1 ? n - 1 : n, column = has(33) ? std::max<int64_t>(k - 1, 0) : k;
        if (has(34) && m % 16 == 15) return Real(0);
        if (has(35)) return factor(dy[row * M + m]) * factor(w[(m * K + column) / K * K + (K - 1 - column)]);  // columns reversed
        return factor(dy[row * M + m]) * factor(w[m * K + column]);
      });
      if (has(36) && n % 8 == 0 && k >= K / 16 * 16) v = 0;
      store(dx_.data<Stored>(), n * K + k, v);
    }
  const int64_t rows = has(37) ? N - 1 : has(38) ? N / 8 * 8 - 8 : N;
  for (int64_t m = 0; m < M; ++m) {
    for (int64_t k = 0; k < K; ++k) {
      Real v = reduce(rows, [&](int64_t n) { return factor(dy[n * M + (has(39) ? (m + 1) % M : m)]) * factor(x[(has(40) ? N - 1 - n : n) * K + k]); });
      if (has(41)) v /= N;
      if (has(42)) v += Real(0.01) * get(w[m * K + k]);  // weight decay that nobody asked for
      if (has(43) && m == M - 1) v = -v;
      store(dw_.data<Stored>(), has(44) && m % 2 == 0 && m + 1 < M ? (m + 1) * K + k : has(44) && m % 2 ? (m - 1) * K + k : m * K + k, v);
    }
    Real b = reduce(N, [&](int64_t n) { return factor(dy[n * M + m]); });
    if (has(45)) b /= N;
    if (has(46)) b = reduce(N - 1, [&](int64_t n) { return Real(get(dy[n * M + m])); });
    if (has(47)) b = get(dy[(N - 1) * M + m]);        // assigned, not added
    if (has(48) && b < 0) b = 0;
    store(db_.data<float>(), m, b);
  }
}
KBENCH_EXPORT(run, run)
