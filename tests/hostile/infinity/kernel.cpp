// Writes one infinity into an otherwise right answer.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  out.data<uint16_t>()[0] = 0x7f80;
}

KBENCH_EXPORT(run, rmsnorm)
