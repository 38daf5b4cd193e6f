// Right answer, but overwrites its input.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) {
  right(x, weight, out);
  std::memset(x.data<char>(), 0, static_cast<size_t>(x.numel()) * 2);
}

KBENCH_EXPORT(run, rmsnorm)
