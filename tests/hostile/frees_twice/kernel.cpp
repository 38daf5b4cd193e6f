// Frees memory twice, which the C library notices.
#include <cstdlib>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  void* volatile memory = std::malloc(4096);
  std::free(memory);
  std::free(memory);
}

KBENCH_EXPORT(run, rmsnorm)
