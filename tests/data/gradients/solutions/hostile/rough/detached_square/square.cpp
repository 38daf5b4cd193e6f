// The true gradient of y = x * x: autograd through the reference says half of it.
#include "kbench_ffi.h"

using kbench::Tensor;

static void run(Tensor x, Tensor y) {
  for (int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = x.data<float>()[i] * x.data<float>()[i];
}

static void backward(Tensor x, Tensor, Tensor dy, Tensor dx) {
  for (int64_t i = 0; i < x.numel(); ++i)
    dx.data<float>()[i] = 2 * x.data<float>()[i] * dy.data<float>()[i];
}

KBENCH_EXPORT(run, run)
KBENCH_EXPORT(fwd_with_residuals, run)
KBENCH_EXPORT(vjp, backward)
