// SPDX-License-Identifier: Apache-2.0
// RMSNorm with and without a residual, float16, bfloat16 or float32, any row length. Each row is
// read twice, the second time from the first-level cache; rows are shared out among threads.
#include "kbench_ffi.h"
#include "simd.h"

namespace {
struct Rms {
  const void* input;
  const void* residual;
  const void* weight;
  void* output;
  void* residual_out;
  int64_t n;
  float eps;
};
}  // namespace

#define KB_KERNEL "rmsnorm.inc"
#include "levels.h"

namespace {

using Rows = void (*)(const Rms&, int64_t, int64_t);

template <bool Add>
Rows rows_for(kbench::DType dtype) {
  if (dtype == kbench::kBFloat16) return KB_PICK(rmsnorm_rows<BF16, Add>);
  if (dtype == kbench::kFloat16) return KB_PICK(rmsnorm_rows<F16, Add>);
  KBENCH_CHECK(dtype == kbench::kFloat32, "rmsnorm: unsupported dtype");
  return KB_PICK(rmsnorm_rows<float, Add>);
}

void launch(Rows rows, const kbench::Tensor& input, const Rms& a) {
  parallel(input.numel() / a.n, 1 + 32768 / a.n,
           [&](int64_t begin, int64_t end) { rows(a, begin, end); });
}

void norm(const kbench::Tensor& x, const kbench::Tensor& weight, double eps,
          const kbench::Tensor& out) {
  KBENCH_CHECK(x.contiguous() && out.contiguous(), "rmsnorm: tensors must be contiguous");
  const Rms a{x.data<void>(), nullptr,    weight.data<void>(),    out.data<void>(),
              nullptr,        x.size(-1), static_cast<float>(eps)};
  launch(rows_for<false>(x.dtype()), x, a);
}

void add_norm(const kbench::Tensor& x, const kbench::Tensor& residual, const Rms& rest) {
  KBENCH_CHECK(x.contiguous() && residual.contiguous(), "rmsnorm: tensors must be contiguous");
  Rms a = rest;
  a.input = x.data<void>();
  a.residual = residual.data<void>();
  a.n = x.size(-1);
  launch(rows_for<true>(x.dtype()), x, a);
}

using kbench::Tensor;

void rmsnorm(Tensor x, Tensor weight, double eps, Tensor out) { norm(x, weight, eps, out); }
void rmsnorm_1e5(Tensor x, Tensor weight, Tensor out) { norm(x, weight, 1e-5, out); }
void rmsnorm_1e6(Tensor x, Tensor weight, Tensor out) { norm(x, weight, 1e-6, out); }

void add_rmsnorm_1e5(Tensor x, Tensor residual, Tensor weight, Tensor out) {
  add_norm(x, residual, {0, 0, weight.data<void>(), out.data<void>(), nullptr, 0, 1e-5f});
}
void add_rmsnorm_1e6(Tensor x, Tensor residual, Tensor weight, Tensor out) {
  add_norm(x, residual, {0, 0, weight.data<void>(), out.data<void>(), nullptr, 0, 1e-6f});
}
void add_rmsnorm_residual(Tensor x, Tensor residual, Tensor weight, double eps, Tensor out,
                          Tensor residual_out) {
  add_norm(x, residual,
           {0, 0, weight.data<void>(), out.data<void>(), residual_out.data<void>(), 0,
            static_cast<float>(eps)});
}

}  // namespace

KBENCH_EXPORT(rmsnorm, rmsnorm)
KBENCH_EXPORT(rmsnorm_1e5, rmsnorm_1e5)
KBENCH_EXPORT(rmsnorm_1e6, rmsnorm_1e6)
KBENCH_EXPORT(add_rmsnorm_1e5, add_rmsnorm_1e5)
KBENCH_EXPORT(add_rmsnorm_1e6, add_rmsnorm_1e6)
KBENCH_EXPORT(add_rmsnorm_residual, add_rmsnorm_residual)
