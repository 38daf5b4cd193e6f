// Right at first; ends the process in its third call.
#include <unistd.h>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static int calls = 0;
  right(x, weight, out);
  if (++calls == 3) _exit(0);
}

KBENCH_EXPORT(run, rmsnorm)
