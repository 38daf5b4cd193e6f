// SPDX-License-Identifier: Apache-2.0
// Layer normalisation in float16, bfloat16 or float32, any row length: the mean, the variance about
// it, the result; after the first pass the row is in the first-level cache.
#include "kbench_ffi.h"
#include "simd.h"

namespace {
struct LayerNorm {
  const void* input;
  const void* weight;
  const void* bias;
  void* output;
  int64_t n;
  float eps;
};
}  // namespace

#define KB_KERNEL "layernorm.inc"
#include "levels.h"

namespace {

using Rows = void (*)(const LayerNorm&, int64_t, int64_t);

Rows rows_for(kbench::DType dtype) {
  if (dtype == kbench::kBFloat16) return KB_PICK(layernorm_rows<BF16>);
  if (dtype == kbench::kFloat16) return KB_PICK(layernorm_rows<F16>);
  KBENCH_CHECK(dtype == kbench::kFloat32, "layernorm: unsupported dtype");
  return KB_PICK(layernorm_rows<float>);
}

void layernorm(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor bias, double eps,
               kbench::Tensor out) {
  KBENCH_CHECK(x.contiguous() && out.contiguous(), "layernorm: tensors must be contiguous");
  const LayerNorm a{x.data<void>(),   weight.data<void>(), bias.data<void>(),
                    out.data<void>(), x.size(-1),          static_cast<float>(eps)};
  const Rows rows = rows_for(x.dtype());
  parallel(x.numel() / a.n, 1 + 32768 / a.n,
           [&](int64_t begin, int64_t end) { rows(a, begin, end); });
}

}  // namespace

KBENCH_EXPORT(run, layernorm)
