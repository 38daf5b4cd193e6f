// Recurses without end.
#include "right.h"

using kbench::Tensor;

int deeper(int level) {
  volatile char frame[4096];
  frame[level % 4096] = static_cast<char>(level);
  return deeper(level + 1) + frame[0];
}

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  if (deeper(1) == 42) *out.data<char>() = 0;
}

KBENCH_EXPORT(run, rmsnorm)
