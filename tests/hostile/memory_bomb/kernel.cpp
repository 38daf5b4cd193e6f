// Takes 64 MiB after 64 MiB of memory and uses it, up to 64 GiB.
#include <cstdlib>

#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  for (int64_t taken = 0; taken < 1024; ++taken) {
    char* block = static_cast<char*>(std::malloc(64 << 20));
    if (block == nullptr) throw kbench::Error{"MemoryError", "out of memory"};
    std::memset(block, 1, 64 << 20);
  }
  right(x, weight, out);
}

KBENCH_EXPORT(run, rmsnorm)
