// Stops its own process with SIGSTOP.
#include <csignal>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  raise(SIGSTOP);
}

KBENCH_EXPORT(run, rmsnorm)
