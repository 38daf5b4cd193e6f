// SPDX-License-Identifier: Apache-2.0
// The gradient of softmax of rows of float32, from the probabilities alone: nothing is kept beside
// the output. Rows are shared out among threads.
#include "kbench_ffi.h"
#include "simd.h"

#define KB_KERNEL "softmax_grad.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

void backward(Tensor, Tensor y, Tensor dy, Tensor dx) {
  KBENCH_CHECK(y.contiguous() && dy.contiguous() && dx.contiguous(),
               "softmax: tensors must be contiguous");
  KBENCH_CHECK(y.dtype() == kbench::kFloat32, "softmax: unsupported dtype");
  const int64_t n = y.size(-1);
  const auto rows = KB_PICK(softmax_vjp_rows);
  parallel(y.numel() / n, 1 + 16384 / n, [&](int64_t begin, int64_t end) {
    rows(y.data<float>() + begin * n, dy.data<float>() + begin * n, dx.data<float>() + begin * n,
         end - begin, n);
  });
}

}  // namespace

KBENCH_EXPORT(softmax_vjp, backward)
