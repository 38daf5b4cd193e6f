// Nothing in the tenth call: neither the first ones nor the last (R9).
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static int calls = 0;
  if (++calls != 10) right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
