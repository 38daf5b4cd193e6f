// Writes NaN.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  (void)x;
  (void)weight;
  for (int64_t i = 0; i < out.numel(); ++i) out.data<uint16_t>()[i] = 0x7fc0;
}

KBENCH_EXPORT(run, rmsnorm)
