// Writes a file of up to 2 GiB and removes it; aborts when it may not.
#include <unistd.h>

#include <cstdlib>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  char name[] = "/tmp/kbench_hostile_XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) std::abort();
  unlink(name);
  static char block[1 << 20];
  for (int i = 0; i < 2048; ++i)
    if (write(file, block, sizeof block) < 0) std::abort();
  close(file);
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
