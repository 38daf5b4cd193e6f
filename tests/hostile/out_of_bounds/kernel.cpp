// Writes a whole page past the end of its output.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  volatile uint16_t* end = out.data<uint16_t>() + out.numel();
  for (int64_t i = 0; i < 2048; ++i) end[i] = 0;
}

KBENCH_EXPORT(run, rmsnorm)
