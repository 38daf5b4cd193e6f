// Hands out its input (S5).
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  std::memcpy(out.data<uint16_t>(), x.data<uint16_t>(), sizeof(uint16_t) * x.numel());
  (void)weight;
}

KBENCH_EXPORT(run, rmsnorm)
