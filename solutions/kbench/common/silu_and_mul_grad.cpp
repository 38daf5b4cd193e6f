// SPDX-License-Identifier: Apache-2.0
// The gradient of silu(gate) * up in float16, bfloat16 or float32, with a vector exponential;
// nothing is kept of the forward pass. Elements, not rows, are shared out among threads.
#include "kbench_ffi.h"
#include "simd.h"

#define KB_KERNEL "silu_and_mul_grad.inc"
#include "levels.h"

namespace {

using kbench::Tensor;
using Span = void (*)(const void*, const void*, const void*, void*, void*, int64_t);

Span span_for(kbench::DType dtype) {
  if (dtype == kbench::kBFloat16) return KB_PICK(silu_and_mul_vjp_span<BF16>);
  if (dtype == kbench::kFloat16) return KB_PICK(silu_and_mul_vjp_span<F16>);
  KBENCH_CHECK(dtype == kbench::kFloat32, "silu_and_mul: unsupported dtype");
  return KB_PICK(silu_and_mul_vjp_span<float>);
}

void backward(Tensor x, Tensor, Tensor dy, Tensor dx) {
  KBENCH_CHECK(x.contiguous() && dy.contiguous() && dx.contiguous(),
               "silu_and_mul: tensors must be contiguous");
  const int64_t d = dy.size(-1), bytes = x.dtype().bits / 8;
  const Span span = span_for(x.dtype());
  parallel(dy.numel(), 8192, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / d, column = begin % d;
      const int64_t n = end - begin < d - column ? end - begin : d - column;
      const int64_t at = (row * 2 * d + column) * bytes;
      span(x.data<char>() + at, x.data<char>() + at + d * bytes, dy.data<char>() + begin * bytes,
           dx.data<char>() + at, dx.data<char>() + at + d * bytes, n);
      begin += n;
    }
  });
}

}  // namespace

KBENCH_EXPORT(silu_and_mul_vjp, backward)
