// Short causal convolution of each channel with silu; what came before is in `past`, whose successor is an output in float32.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor w_, kbench::Tensor b_, kbench::Tensor past_, kbench::Tensor out_, kbench::Tensor next_) {
  reductions = 0;
  const int64_t N = x_.size(0), L = x_.size(1), D = x_.size(2), K = w_.size(1);
  const Stored *x = x_.data<Stored>(), *w = w_.data<Stored>(), *b = b_.data<Stored>();
  const float* past = past_.data<float>();  // [N, D, K - 1], oldest first
  for (int64_t n = 0; n < N; ++n)
    for (int64_t d = 0; d < D; ++d) {
      auto before = [&](int64_t j) { return Real(past[((has(30) ? 0 : n) * D + d) * (K - 1) + (has(31) ? K - 2 - j : j)]); };
      auto at = [&](int64_t t) -> Real {
        if (t >= 0) return get(x[(n * L + t) * D + d]);
        if (has(32)) return 0;                       // zeros for the past
        return before(std::max<int64_t>(0, K - 1 + t));
      };
      for (int64_t t = 0; t < L; ++t) {
        Real sum = reduce(K, [&](int64_t k) {
          int64_t when = t - (K - 1) + k;
          if (has(33)) when -= 1;
          if (has(34)) when = std::min(when + 1, L - 1);
          if (has(35) && t % 8 == 0 && k < K - 1) return Real(0);  // the border of a chunk
          if (has(36) && k == 0) return Real(0);
          Real tap = get(w[(has(37) ? std::min(d + 1, D - 1) : d) * K + (has(38) ? K - 1 - k : k)]);
          return tap * at(when);
        });
        Real bias = get(b[d]);
        if (has(39)) bias = 0;
        if (has(40)) bias = get(b[d / 8 * 8]);
        Real y = sum + bias;
        if (ALT == 1 && ACC) y = reduce(K + 1, [&](int64_t k) { return k ? Real(get(w[d * K + k - 1])) * at(t - K + k) : bias; });
        Real z = y * sigmoid(y);
        if (ALT == 2 && ACC) z = divide(y, 1 + expo(-y));
        if (has(41)) z = y;
        if (has(42)) z = y > 0 ? y : Real(0);
        if (has(43)) z = Real(0.5) * y * (1 + std::erf(y * Real(0.70710678118654752L)));  // gelu
        if (has(44)) z = y * std::min(std::max(y / 6 + Real(0.5), Real(0)), Real(1));     // hard swish
        if (has(45)) z = sigmoid(y);
        if (has(46)) z = y * sigmoid(Real(1.02L) * y);
        if (has(47)) z = sum * sigmoid(sum) + bias;
        if (has(48) && t == L - 1) z = 0;
        if (has(49) && d == D - 1) z = y;
        store(out_.data<Stored>(), (n * L + t) * D + d, z);
      }
      for (int64_t j = 0; j < K - 1; ++j) {
        int64_t when = L - (K - 1) + j;
        Real kept = at(has(50) ? when - 1 : when);
        if (has(51)) kept = j ? before(j - 1) : at(L - 1);
        if (has(52)) kept = before(j);
        store(next_.data<float>(), (n * D + d) * (K - 1) + j, kept);
      }
    }
}
KBENCH_EXPORT(run, run)
