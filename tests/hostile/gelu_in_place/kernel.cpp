// Right, in place, and as slow as it must be: the twin of computes_while_copied.
#include "early.h"

void run(kbench::Tensor x, kbench::Tensor out) {
  gelu(x, x);
  std::memcpy(out.data<float>(), x.data<float>(), static_cast<size_t>(x.numel()) * sizeof(float));
}

KBENCH_EXPORT(run, run)
