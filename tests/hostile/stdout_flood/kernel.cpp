// Writes 1 GiB to standard output, then gives the right answer.
#include <unistd.h>

#include <cstdlib>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static char line[1 << 16];
  std::memset(line, 'x', sizeof line);
  for (int i = 0; i < 16384; ++i)
    if (write(1, line, sizeof line) < 0) std::abort();
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
