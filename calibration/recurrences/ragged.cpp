// Each column of the first lens[b] rows of a sequence has its mean, largest, and log-sum-exp in float32.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor lens_, kbench::Tensor mean_, kbench::Tensor high_, kbench::Tensor lse_) {
  reductions = 0;
  const int64_t B = x_.size(0), S = x_.size(1), D = x_.size(2);
  const Stored* x = x_.data<Stored>();
  const int32_t* lens = lens_.data<int32_t>();
  for (int64_t b = 0; b < B; ++b) {
    int64_t n = lens[has(30) ? std::max<int64_t>(b - 1, 0) : b];
    if (has(31)) n = std::min(n + 1, S);
    if (has(32)) n = std::max<int64_t>(n - 1, 1);
    if (has(33)) n = std::min(n, (S - 1) / 16 * 16);   // longer ones are cut
    if (has(34)) n = std::min((n + 7) / 8 * 8, S);     // rounded up to the tile
    if (has(35) && n == S) n = S - 1;
    if (has(36)) n = S;
    for (int64_t d = 0; d < D; ++d) {
      auto at = [&](int64_t i) { return Real(get(x[((has(37) && i == n - 1 ? (b + 1) % B : b) * S + i) * D + d])); };
      Real sum = reduce(n, at);
      Real mean = divide(sum, Real(has(38) ? S : has(39) ? n + 1 : n));
      if (has(40)) mean = sum;
      if (ALT == 1 && ACC) { mean = 0; for (int64_t i = 0; i < n; ++i) mean += (at(i) - mean) / Real(i + 1); }
      Real top = has(41) ? Real(0) : at(0);
      for (int64_t i = 0; i < n; ++i) if (!(has(42) && i == n - 1 && n > 1)) top = std::max(top, at(i));
      if (has(43)) top = std::fabs(top);
      Real lse;
      if (ALT == 2 && ACC) {  // online
        Real m = -INFINITY, s = 0;
        for (int64_t i = 0; i < n; ++i) { Real next = std::max(m, at(i)); s = (i ? s * expo(m - next) : Real(0)) + expo(at(i) - next); m = next; }
        lse = m + std::log(s);
      } else {
        Real high = at(0);
        for (int64_t i = 1; i < n; ++i) high = std::max(high, at(i));
        Real s = reduce(has(44) ? S : n, [&](int64_t i) { return i < n ? expo(at(i) - high) : expo(-high); });  // 44: padding counts as zeros
        if (has(45)) s /= n;
        lse = has(46) ? high : has(47) ? std::log(s) : has(48) ? high + std::log2(s) : ALT == 3 && ACC ? high + std::log1p(s - 1) : high + std::log(s);
      }
      if (has(49) && d == D - 1) mean = 0;
      store(mean_.data<Stored>(), b * D + d, mean);
      store(high_.data<Stored>(), b * D + d, top);
      store(lse_.data<float>(), b * D + d, lse);
    }
  }
}
KBENCH_EXPORT(run, run)
