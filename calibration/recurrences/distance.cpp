// Euclidean distances of all pairs of rows, and for each row of x the nearest row of y.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor y_, kbench::Tensor out_, kbench::Tensor nearest_) {
  reductions = 0;
  const int64_t N = x_.size(0), M = y_.size(0), D = x_.size(1);
  const Stored *x = x_.data<Stored>(), *y = y_.data<Stored>();
  for (int64_t n = 0; n < N; ++n) {
    int64_t best = 0;
    Real least = INFINITY;
    for (int64_t m = 0; m < M; ++m) {
      const int64_t row = has(30) && n == N - 1 ? n - 1 : n, other = has(31) && m % 32 == 31 ? m - 1 : m;
      auto X = [&](int64_t i) { return Real(get(x[row * D + (has(32) && i ? i - 1 : i)])); };
      auto Y = [&](int64_t i) { return Real(get(y[other * D + i])); };
      Real square = reduce(D, [&](int64_t i) {
        Real d = X(i) - Y(i);
        if (has(33)) d = X(i) + Y(i);
        if (has(34)) d = in_bf16(d);
        if (has(35)) d = std::fabs(X(i)) - std::fabs(Y(i));
        if (has(36)) return std::fabs(d);
        if (has(37)) return d * d * d;
        return d * d;
      });
      if (ALT == 1 && ACC) {  // |x|^2 + |y|^2 - 2 x y
        square = reduce(D, [&](int64_t i) { return X(i) * X(i); }) + reduce(D, [&](int64_t i) { return Y(i) * Y(i); }) -
                 (has(38) ? 1 : 2) * reduce(D, [&](int64_t i) { return X(i) * Y(i); });
        square = std::max(square, Real(0));
      }
      if (has(39)) square /= D;
      if (has(40)) square = std::max(square, Real(60));
      if (has(41)) square += Real(0.5);
      Real distance = ALT == 2 && ACC ? square * inverse_root(square) : std::sqrt(square);
      if (has(42)) distance = square;
      if (has(43) && m == n) distance = 0;        // meant for distances within one set
      if (has(44) && m > n) distance = std::sqrt(reduce(D, [&](int64_t i) { return (get(x[std::min(m, N - 1) * D + i]) - Y(i)) * (get(x[std::min(m, N - 1) * D + i]) - Y(i)); }));
      if (has(45) && m == M - 1 && n % 8 == 7) distance = 0;
      if (square < least && !(has(46) && m == M - 1) && !(has(47) && m == 0)) { least = square; best = m; }
      if (has(48) && square >= least && m == M / 2) { least = square; best = m; }  // two halves: the second one always wins
      store(out_.data<Stored>(), has(49) ? (n * M + m) / M * M + (m ^ 1) % M : n * M + m, distance);
    }
    nearest_.data<int32_t>()[n] = int32_t(has(50) ? best + 1 : best);
  }
}
KBENCH_EXPORT(run, run)
