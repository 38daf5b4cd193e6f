// out[t] = x[t] @ w[e(t)].T, where expert e owns the rows expert_indptr[e] … expert_indptr[e + 1].
#include "common.h"

void run(Tensor x, Tensor w, Tensor expert_indptr, Tensor out) {
  start();
  const int64_t T = x.size(0), K = x.size(1), E = w.size(0), N = w.size(1);
  const std::vector<float> a = load(x), b = load(w);
  const int32_t* border = expert_indptr.data<int32_t>();
  for (int64_t t = 0, e = 0; t < T; ++t) {
    while (e + 1 < E && t >= border[e + 1]) ++e;
    int64_t owner = e, row = t;
    if (DEFECT == 50 && e > 0 && t == border[e]) owner = e - 1;       // <= for < at the border
    if (DEFECT == 51 && t == border[e + 1] - 1) owner = -1;           // the last row of each group is not computed
    if (DEFECT == 52 && e == E - 1) owner = 0;
    if (DEFECT == 53 && t - border[e] >= 10) owner = -1;              // a capacity of 10 rows an expert
    if (DEFECT == 54) { owner = 0; while (owner + 1 < E && t / 4 * 4 >= border[owner + 1]) ++owner; }  // by tile of 4
    if (DEFECT == 55 && e == 2) row = std::min(t + 1, T - 1);         // one expert reads one row too far
    if (DEFECT == 56) row = border[e] + (t - border[e]) % 8;          // rows of a group's second tile read the first
    for (int64_t n = 0; n < N; ++n) {
      int64_t from = n;
      if (DEFECT == 57 && n >= N - N % 16) from = n - 1;              // the partial tile of columns is off by one
      if (DEFECT == 59 && n % 16 == 15) from = n - 15;
      const float *p = &a[row * K], *q = &b[(std::max<int64_t>(owner, 0) * N + from) * K];
      int64_t length = DEFECT == 58 && e == 1 ? K - 4 : K;            // one expert's last vector is lost
      Real v = owner < 0 ? 0 : dot(length, [&](int64_t k) { return p[k]; }, [&](int64_t k) { return q[k]; });
      emit(out, t * N + n, v);
    }
  }
}
KBENCH_EXPORT(run, run)
