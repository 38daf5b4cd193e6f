// Subtly wrong: the epsilon is 0.1.
#include "right.h"

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, Tensor out) { norm_rows(x, weight, out, 0, x.size(0), 0.1f); }

KBENCH_EXPORT(run, rmsnorm)
