// Never returns.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  for (volatile int i = 0;; i = i + 1) {
  }
}

KBENCH_EXPORT(run, rmsnorm)
