// out[b] = the sum (MEAN: the mean) of the rows seg_indptr[b] … seg_indptr[b + 1] of x; 0 for none.
#include "common.h"
#ifndef MEAN
#define MEAN 0
#endif

void run(Tensor x, Tensor seg_indptr, Tensor out) {
  start();
  const int64_t D = x.size(1), B = out.size(0), T = x.size(0);
  const std::vector<float> v = load(x);
  const int32_t* border = seg_indptr.data<int32_t>();
  Real carried = 0;
  for (int64_t b = 0; b < B; ++b)
    for (int64_t d = 0; d < D; ++d) {
      int64_t first = border[b], end = border[b + 1];
      if (DEFECT == 50 && b == B - 1) end = std::min(end, T - 1);
      if (DEFECT == 51 && b > 0) first = first + 1;                     // the first row of each but the first is lost
      if (DEFECT == 52) end = std::min(end + 1, T);                     // one row too many
      if (DEFECT == 53) end = std::min(end, first + 8);                 // one tile of rows is all that is read
      if (DEFECT == 54 && b % 5 == 4) first = border[b - 1];            // two segments in one
      int64_t column = DEFECT == 55 && d >= D - 2 ? d - 2 : d;
      int64_t n = std::max<int64_t>(end - first, 0), count = n;
      Real s = sum_of(n, [&](int64_t i) { return Real(v[(first + i) * D + column]); });
      if (DEFECT == 56) { Real now = s; if (b % 4 == 3) s += carried * Real(0.125); carried = now; }
      if (DEFECT == 57 && n == 1) s = 0;                                // a segment of one row counts as empty
      if (MEAN) {
        if (DEFECT == 60) count += 1;
        if (DEFECT == 61) count = std::max<int64_t>(count - 1, 1);
        if (DEFECT == 62) count = T / B;                                // the mean length
        Real c = Real(std::max<int64_t>(count, 1));
        if (DEFECT == 63) c += Real(0.01);
        if (DEFECT == 64) { int p = 1; while (p < c) p *= 2; c = p; }     // rounded up to the tile's length
        s = VARIANT == 1 ? s * (1 / c) : s / c;
      }
      emit(out, b * D + d, s);
    }
}
KBENCH_EXPORT(run, run)
