// Writes through a null pointer.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  volatile uint16_t* volatile null = nullptr;
  *null = 1;
}

KBENCH_EXPORT(run, rmsnorm)
