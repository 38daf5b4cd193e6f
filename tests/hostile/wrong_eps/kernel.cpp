// Subtly wrong: the epsilon is 0.1.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  for (int64_t row = 0; row < x.size(0); ++row) norm_row(x, weight, out, row, 0.1f);
}

KBENCH_EXPORT(run, rmsnorm)
