// Subtly wrong: the last column uses the weight of the one before it.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  const int64_t n = x.size(1);
  const float from = widen(weight.data<uint16_t>()[n - 1]);
  const float to = widen(weight.data<uint16_t>()[n - 2]);
  for (int64_t r = 0; r < x.size(0); ++r) {
    uint16_t& last = out.data<uint16_t>()[r * n + n - 1];
    last = narrow(widen(last) / from * to);
  }
}

KBENCH_EXPORT(run, rmsnorm)
