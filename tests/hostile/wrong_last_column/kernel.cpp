// Subtly wrong: the last column of the result repeats the one before it.
#include "right.h"

using kbench::Tensor;

void gemm(Tensor a, Tensor b, Tensor c) {
  const int64_t m = a.size(0), n = b.size(0), k = a.size(1);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const int64_t column = j < n - 1 ? j : n - 2;
      float sum = 0;
      for (int64_t x = 0; x < k; ++x) {
        const float product =
            widen(a.data<uint16_t>()[i * k + x]) * widen(b.data<uint16_t>()[column * k + x]);
        sum += product;
      }
      c.data<uint16_t>()[i * n + j] = narrow(sum);
    }
  }
}

KBENCH_EXPORT(run, gemm)
