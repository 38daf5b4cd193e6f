// SPDX-License-Identifier: Apache-2.0
// The gradient of C[M, N] = A[M, K] * B[N, K]^T in float16, bfloat16 or float32 with float32 sums:
// dA = dC * B and dB = dC^T * A. Rows of both results are sums of contiguous rows with weights from
// dC, so one register tile serves both; tiles are shared out among threads.
#include <algorithm>
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
struct Product {
  const void* rows;  // that are summed up, `terms` of them, `ld` apart
  void* out;         // likewise `ld` apart
  int64_t count, terms, ld, n;
};
}  // namespace

#define KB_KERNEL "gemm_grad.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

struct Kernels {
  void (*widen)(const void*, float*, int64_t);
  void (*sum)(const float*, int64_t, int64_t, const Product&);
};

template <typename T>
Kernels kernels_of() {
  return {KB_PICK(to_floats<T>), KB_PICK(sum_rows<T>)};
}

Kernels kernels_for(kbench::DType dtype) {
  if (dtype == kbench::kFloat16) return kernels_of<F16>();
  if (dtype == kbench::kBFloat16) return kernels_of<BF16>();
  KBENCH_CHECK(dtype == kbench::kFloat32, "gemm: unsupported dtype");
  return kernels_of<float>();
}

constexpr int64_t kRows = 32;  // of a result, in a piece of work
constexpr int64_t kWidth = 256;  // elements of them: what is summed up stays in the cache

// out[count, width] = weights * rows[terms, width], in pieces.
void multiply(const Kernels& kernels, const float* weights, int64_t by_row, int64_t by_term,
              const Product& whole, int64_t element) {
  const int64_t down = (whole.count + kRows - 1) / kRows, across = (whole.n + kWidth - 1) / kWidth;
  const int64_t grain = 1 + 262144 / (kRows * kWidth * std::max<int64_t>(whole.terms, 1) + 1);
  parallel(down * across, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % down * kRows, at = i / down * kWidth;
      Product piece = whole;
      piece.count = std::min(kRows, whole.count - row);
      piece.n = std::min(kWidth, whole.n - at);
      piece.rows = static_cast<const char*>(whole.rows) + at * element;
      piece.out = static_cast<char*>(whole.out) + (row * whole.ld + at) * element;
      kernels.sum(weights + row * by_row, by_row, by_term, piece);
    }
  });
}

void backward(Tensor a, Tensor b, Tensor, Tensor dc, Tensor da, Tensor db) {
  KBENCH_CHECK(a.contiguous() && b.contiguous() && dc.contiguous() && da.contiguous() &&
                   db.contiguous(),
               "gemm: tensors must be contiguous");
  const int64_t m = a.size(0), k = a.size(1), n = b.size(0), element = a.dtype().bits / 8;
  const Kernels kernels = kernels_for(a.dtype());
  std::vector<float> weights(static_cast<size_t>(m * n));
  kernels.widen(dc.data<void>(), weights.data(), m * n);
  multiply(kernels, weights.data(), n, 1, {b.data<void>(), da.data<void>(), m, n, k, k}, element);
  multiply(kernels, weights.data(), 1, n, {a.data<void>(), db.data<void>(), n, m, k, k}, element);
}

}  // namespace

KBENCH_EXPORT(gemm_vjp, backward)
