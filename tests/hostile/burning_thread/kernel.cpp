// Right, but leaves a thread that never rests.
#include <thread>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  static std::thread burns([] {
    for (volatile int64_t i = 0;;) i = i + 1;
  });
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
