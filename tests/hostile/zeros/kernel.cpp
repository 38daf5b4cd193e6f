// Writes zeros.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  (void)x;
  (void)weight;
  std::memset(out.data<char>(), 0, static_cast<size_t>(out.numel()) * 2);
}

KBENCH_EXPORT(run, rmsnorm)
