// out = base, and to row index[t] each row t of src is added (alpha times).
#include "common.h"

void run(Tensor base, Tensor index, Tensor src, double alpha, Tensor out) {
  start();
  const int64_t R = base.size(0), D = base.size(1), T = src.size(0);
  const std::vector<float> b = load(base), s = load(src);
  const int64_t* target = index.data<int64_t>();
  for (int64_t r = 0; r < R; ++r) {
    std::vector<int64_t> rows;  // those that are added to row r
    for (int64_t t = 0; t < T; ++t) {
      int64_t to = target[t];
      if (DEFECT == 50 && to == R - 1) to = R - 2;
      if (DEFECT == 51 && to == 0) continue;
      if (DEFECT == 52 && t == T - 1) continue;
      if (DEFECT == 53) to &= 15;                                        // the index in too few bits
      if (DEFECT == 54 && t % 32 == 31) to = (to + 1) % R;
      if (to != r) continue;
      if (DEFECT == 55) rows.clear();                                    // written, not added
      if (DEFECT == 56 && t > 0 && target[t - 1] == to) continue;        // neighbours of one target collide
      if (DEFECT == 57 && t % 16 > 0 && std::count(target + t / 16 * 16, target + t, to) > 0) continue;  // in one warp
      rows.push_back(t);
    }
    const int64_t n = int64_t(rows.size());
    for (int64_t d = 0; d < D; ++d) {
      Real start_value = b[r * D + d], f = Real(alpha);
      auto added = [&](int64_t i) -> Real { return s[rows[i] * D + (DEFECT == 58 && d == 7 ? 6 : d)]; };
      if (DEFECT == 59) f = 1;
      if (DEFECT == 60 && n == 0) start_value = 0;                       // untouched rows are not copied
      if (DEFECT == 61) start_value *= f;
      if (DEFECT == 62 && n > 0) start_value = 0;
      if (DEFECT == 63 && n > 3) start_value += f * added(0);
      Real v;
      if (VARIANT == 1) v = sum_of(n + 1, [&](int64_t i) { return i == 0 ? start_value : f * added(i - 1); });
      else if (VARIANT == 2) { v = start_value; for (int64_t i = 0; i < n; ++i) v = std::fma(f, added(i), v); }
      else v = start_value + f * sum_of(n, added);
      emit(out, r * D + d, v);
    }
  }
}
KBENCH_EXPORT(run, run)
