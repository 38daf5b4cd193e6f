// Leaves subnormals flushed and rounding towards zero, and refuses to go on where that is still so
// (T12).
#include <immintrin.h>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  KBENCH_CHECK((_mm_getcsr() & ~0x3FU) == 0x1F80 && x87 == 0x037F, "the mode of an earlier call");
  right(x, weight, out);
  _mm_setcsr(_mm_getcsr() | 0xE040);
  x87 = 0x0C7F;
  asm volatile("fldcw %0" : : "m"(x87));
}

KBENCH_EXPORT(run, rmsnorm)
