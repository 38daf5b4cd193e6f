// Sleeps in its first three calls, so that few samples would be taken (R7).
#include <unistd.h>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static int calls = 0;
  if (++calls <= 3) usleep(50000);
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
