// Running sums along each row. INTEGER: int32 in, int64 out. Float sums run in float32 and are rounded once.
#include "common.h"
#ifndef INTEGER
#define INTEGER 0
#endif
#if INTEGER
using Number = int64_t;
#else
using Number = Real;
#endif

static Number rounded(Number v) {
#if INTEGER
  if (DEFECT == 3) return int16_t(v);                                     // 16 bits, wraps
  if (DEFECT == 4) return std::clamp<int64_t>(v, -32768, 32767);          // saturates
  return v;
#else
  return after_addition(v);
#endif
}

void run(Tensor x, Tensor out) {
  const int64_t T = x.size(0), V = x.size(1);
  for (int64_t t = 0; t < T; ++t) {
    std::vector<Number> v(V), s(V);
#if INTEGER
    for (int64_t i = 0; i < V; ++i) v[i] = x.data<int32_t>()[t * V + i];
#else
    for (int64_t i = 0; i < V; ++i) v[i] = get(x.data<Stored>()[t * V + i]);
#endif
    if (DEFECT == 50) for (int64_t i = 31; i < V; i += 32) v[i] = 0;       // elements at seams are missing
    if (DEFECT == 51) v[0] = 0;
    const int64_t tile = VARIANT == 2 ? 8 : VARIANT == 3 ? 32 : VARIANT == 4 ? 64 : VARIANT == 8 ? 50 : 0;
    if (VARIANT == 5) {                                                   // Hillis and Steele
      s = v;
      for (int64_t d = 1; d < V; d *= 2) for (int64_t i = V; i-- > d;) s[i] = s[i] + s[i - d];
    } else if (VARIANT == 6) {                                            // each prefix by itself, pairwise
      for (int64_t i = 0; i < V; ++i) {
        std::vector<Number> part(v.begin(), v.begin() + i + 1);
        for (int64_t n = i + 1; n > 1; n = (n + 1) / 2) for (int64_t j = 0; j < (n + 1) / 2; ++j) part[j] = part[2 * j] + (2 * j + 1 < n ? part[2 * j + 1] : Number(0));
        s[i] = part[0];
      }
    } else if (tile) {                                                    // each tile by itself, then the sums before it
      Number carry = 0;
      for (int64_t b = 0; b < V; b += tile) {
        Number own = 0;
        for (int64_t i = b; i < std::min(V, b + tile); ++i) own += v[i], s[i] = carry + own;
        carry += own;
      }
    } else if (VARIANT == 7) {                                            // Kahan
      volatile Number sum = 0, lost = 0;
      for (int64_t i = 0; i < V; ++i) { volatile Number y = v[i] - lost, n = sum + y, m = n - sum; lost = m - y; sum = n; s[i] = n; }
    } else if (VARIANT == 9) {                                            // tile totals scanned first
      const int64_t width = 16;
      std::vector<Number> before(V / width + 2);
      for (int64_t b = 0; b * width < V; ++b) { Number own = 0; for (int64_t i = b * width; i < std::min(V, (b + 1) * width); ++i) own += v[i]; before[b + 1] = before[b] + own; }
      for (int64_t i = 0; i < V; ++i) s[i] = (i % width ? s[i - 1] : before[i / width]) + v[i];
    } else {
      Number sum = 0;
      for (int64_t i = 0; i < V; ++i) {
        if (DEFECT == 52 && i % 64 == 0 && i > 0) sum = v[i - 1];          // the carry of one tile alone
        if (DEFECT == 53 && i == V / 2 && t % 8 == 1) sum = 0;             // a carry that came too late
        if (DEFECT == 54 && i == V - V % 16) sum = 0;                      // the partial tile starts anew
        if (DEFECT == 55) s[i] = sum;                                      // without the element itself
        sum = rounded(sum + v[i]);
        if (DEFECT == 56 && i % 64 == 63) sum = rounded(sum + v[i]);       // the seam's element twice
        if (DEFECT != 55) s[i] = sum;
      }
    }
    if (DEFECT == 57) std::reverse(s.begin(), s.end());
    if (DEFECT == 58) { Number sum = 0; for (int64_t i = V; i-- > 0;) sum += v[i], s[i] = sum; }  // from the end
    if (DEFECT == 59 && t == T - 1) for (int64_t i = V / 2; i < V; ++i) s[i] = v[i];
    if (DEFECT == 60) s[V - 1] = s[V - 2];
    if (DEFECT == 61 && t % 8 == 7) for (Number& n : s) n += v[0];
    for (int64_t i = 0; i < V; ++i) {
#if INTEGER
      int64_t n = s[i], to = t * V + i;
      if (DEFECT == 20) n = int64_t(float(as_f16(float(n))));              // through float16
      if (DEFECT == 21) n = int64_t(as_bf16(float(n)));
      if (DEFECT == 22) n = std::abs(n);
      if (DEFECT == 23 && i % 16 == 15) n = s[i - 1];
      if (DEFECT == 24) n = uint16_t(n);
      if (DEFECT == 25 && t % 8 == 5 && i >= V - 8) n += 1;
      if (DEFECT == 26) n = int32_t(n) & ~1;
      if (DEFECT == 27 && t > 0 && t == T - 1) n = out.data<int64_t>()[to - V];
      if (DEFECT == 28 && to % 997 == 500) n = -n;
      if (DEFECT == 29 && i == V - 1) n = 0;
      out.data<int64_t>()[to] = n;
#else
      emit(out, t * V + i, s[i]);
#endif
    }
  }
}
KBENCH_EXPORT(run, run)
