// SPDX-License-Identifier: Apache-2.0
// silu(gate) * up in float16, bfloat16 or float32, with a vector exponential. Elements, not rows,
// are shared out among threads, so that one long row uses them all.
#include "kbench_ffi.h"
#include "simd.h"

#define KB_KERNEL "silu_and_mul.inc"
#include "levels.h"

namespace {

using Span = void (*)(const void*, const void*, void*, int64_t);

Span span_for(kbench::DType dtype) {
  if (dtype == kbench::kBFloat16) return KB_PICK(silu_and_mul_span<BF16>);
  if (dtype == kbench::kFloat16) return KB_PICK(silu_and_mul_span<F16>);
  KBENCH_CHECK(dtype == kbench::kFloat32, "silu_and_mul: unsupported dtype");
  return KB_PICK(silu_and_mul_span<float>);
}

void silu_and_mul(kbench::Tensor x, kbench::Tensor out) {
  KBENCH_CHECK(x.contiguous() && out.contiguous(), "silu_and_mul: tensors must be contiguous");
  const int64_t d = out.size(-1), bytes = x.dtype().bits / 8;
  const Span span = span_for(x.dtype());
  parallel(out.numel(), 16384, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / d, column = begin % d;
      const int64_t n = end - begin < d - column ? end - begin : d - column;
      const char* gates = x.data<char>() + (row * 2 * d + column) * bytes;
      span(gates, gates + d * bytes, out.data<char>() + begin * bytes, n);
      begin += n;
    }
  });
}

}  // namespace

KBENCH_EXPORT(run, silu_and_mul)
