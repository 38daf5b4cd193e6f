// A random element is wrong in one call of four, from the seventh on (S14).
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static uint64_t calls = 0;
  right(x, weight, out);
  if (++calls < 7 || calls % 4 != 3) return;
  uint16_t& element = out.data<uint16_t>()[calls * 0x9E3779B97F4A7C15U % out.numel()];
  element = narrow(widen(element) + 1);
}

KBENCH_EXPORT(run, rmsnorm)
