// Right at first; hangs in its 40th call, when it is timed.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static int calls = 0;
  volatile bool forever = ++calls == 40;
  while (forever) {
  }
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
