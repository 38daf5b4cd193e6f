// Returns without writing anything.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  (void)x;
  (void)weight;
  (void)out;
}

KBENCH_EXPORT(run, rmsnorm)
