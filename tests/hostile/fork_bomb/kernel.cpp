// Starts 512 processes that spin for three seconds; aborts when it may not.
#include <unistd.h>

#include <cstdlib>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  for (int i = 0; i < 512; ++i) {
    const pid_t child = fork();
    if (child < 0) std::abort();
    if (child == 0) {
      alarm(3);
      for (volatile int n = 0;; n = n + 1) {
      }
    }
  }
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
