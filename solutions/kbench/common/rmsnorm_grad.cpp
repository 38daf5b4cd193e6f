// SPDX-License-Identifier: Apache-2.0
// The gradient of RMSNorm in float16, bfloat16 or float32, any row length. The forward pass is that
// of rmsnorm.cpp and keeps 1/rms of each row; the backward pass reads each row twice. Rows are
// shared out among threads, each of which sums up its own part of the gain's gradient.
#include <algorithm>
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
struct NormGrad {
  const void* x;
  const void* weight;
  const void* dy;
  const float* rstd;
  void* dx;
  float* rstd_out;
  int64_t n;
  float eps;
};
}  // namespace

#define KB_KERNEL "rmsnorm_grad.inc"
#include "levels.h"

extern "C" int __tvm_ffi_rmsnorm_1e6(void*, const kbench::Any*, int32_t, kbench::Any*);

namespace {

using kbench::Tensor;

struct Kernels {
  void (*rstd)(const NormGrad&, int64_t, int64_t);
  void (*vjp)(const NormGrad&, int64_t, int64_t, float*);
  void (*store)(const float*, int64_t, void*, int64_t);
};

template <typename T>
Kernels kernels_of() {
  return {KB_PICK(rstd_rows<T>), KB_PICK(rmsnorm_vjp_rows<T>), KB_PICK(store_sums<T>)};
}

Kernels kernels_for(kbench::DType dtype) {
  if (dtype == kbench::kBFloat16) return kernels_of<BF16>();
  if (dtype == kbench::kFloat16) return kernels_of<F16>();
  KBENCH_CHECK(dtype == kbench::kFloat32, "rmsnorm: unsupported dtype");
  return kernels_of<float>();
}

// An argument as the host passes it.
struct Argument {
  explicit Argument(const Tensor& t)
      : shape{t.size(0), t.ndim() > 1 ? t.size(1) : 1},
        tensor{t.data<void>(), t.device(), t.ndim(), t.dtype(), shape, nullptr, 0} {}
  kbench::Any any() {
    kbench::Any out{kbench::kDLTensor, 0, {0}};
    out.as_pointer = &tensor;
    return out;
  }
  int64_t shape[2];
  kbench::DLTensor tensor;
};

void forward(Tensor x, Tensor weight, Tensor out, Tensor rstd) {
  Argument arguments[] = {Argument(x), Argument(weight), Argument(out)};
  for (Argument& one : arguments) one.tensor.shape = one.shape;  // they may have moved
  const kbench::Any args[] = {arguments[0].any(), arguments[1].any(), arguments[2].any()};
  kbench::Any result{};
  KBENCH_CHECK(__tvm_ffi_rmsnorm_1e6(nullptr, args, 3, &result) == 0, "rmsnorm: run failed");
  NormGrad g{};
  g.x = x.data<void>();
  g.rstd_out = rstd.data<float>();
  g.n = x.size(-1);
  g.eps = 1e-6f;
  const auto rows = kernels_for(x.dtype()).rstd;
  parallel(x.numel() / g.n, 1 + 32768 / g.n,
           [&](int64_t begin, int64_t end) { rows(g, begin, end); });
}

void backward(Tensor rstd, Tensor x, Tensor weight, Tensor, Tensor dy, Tensor dx, Tensor dw) {
  KBENCH_CHECK(x.contiguous() && dy.contiguous() && dx.contiguous(),
               "rmsnorm: tensors must be contiguous");
  NormGrad g{};
  g.x = x.data<void>();
  g.weight = weight.data<void>();
  g.dy = dy.data<void>();
  g.rstd = rstd.data<float>();
  g.dx = dx.data<void>();
  g.n = x.size(-1);
  const Kernels kernels = kernels_for(x.dtype());
  const int64_t rows = x.numel() / g.n, grain = 1 + 16384 / g.n;
  constexpr int64_t most_parts = 64;  // each a sum over its own rows, whoever calculates it
  const int64_t parts = std::clamp<int64_t>(rows / grain, 1, most_parts);
  std::vector<float> sums(static_cast<size_t>(parts * g.n));
  parallel(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      kernels.vjp(g, rows * p / parts, rows * (p + 1) / parts, sums.data() + p * g.n);
  });
  kernels.store(sums.data(), parts, dw.data<void>(), g.n);
}

}  // namespace

KBENCH_EXPORT(rmsnorm_fwd_1e6, forward)
KBENCH_EXPORT(rmsnorm_vjp, backward)
