// Writes the first half of every row only.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  const int64_t n = x.size(1);
  uint16_t before[128];
  for (int64_t r = 0; r < x.size(0); ++r) {
    uint16_t* second = out.data<uint16_t>() + r * n + n / 2;
    std::memcpy(before, second, static_cast<size_t>(n));
    norm_row(x, weight, out, r);
    std::memcpy(second, before, static_cast<size_t>(n));
  }
}

KBENCH_EXPORT(run, rmsnorm)
