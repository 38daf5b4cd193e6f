// Divides an integer by zero: SIGFPE.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  volatile int64_t zero = x.size(0) - x.size(0);
  volatile int64_t quotient = x.size(0) / zero;
  (void)quotient;
}

KBENCH_EXPORT(run, rmsnorm)
