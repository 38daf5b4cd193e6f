// Zeros in every 20th row (S11).
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  for (int64_t row = 0; row < x.size(0); row += 20)
    std::memset(out.data<uint16_t>() + row * x.size(1), 0, sizeof(uint16_t) * x.size(1));
}

KBENCH_EXPORT(run, rmsnorm)
