// SPDX-License-Identifier: Apache-2.0
// C[M, N] = A[M, K] * B[N, K]^T in float16, bfloat16 or float32 with float32 sums, any sizes.
// Both operands are contiguous along K, so a register tile takes dot products along K and B is
// streamed from memory exactly once for every 120 rows of A. A is widened to float32 and cut into
// blocks that stay in the second-level cache; panels of 64 rows of B are shared out among threads.
#include <cstdlib>
#include <type_traits>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
constexpr int64_t kRows = 120;    // rows of A in a block: a multiple of every tile height
constexpr int64_t kPanel = 64;    // rows of B in a panel
constexpr int64_t kDepth = 1024;  // elements of K in a block

struct Block {
  const float* a;  // m rows of float32, lda apart
  int64_t lda;
  int64_t m;
  int64_t depth;
};
}  // namespace

#define KB_KERNEL "gemm.inc"
#include "levels.h"

namespace {

struct Kernels {
  void (*multiply)(const Block&, const void*, int64_t, int64_t, float*);
  void (*widen)(const void*, float*, int64_t);
  void (*narrow)(const float*, void*, int64_t);
};

template <typename T>
Kernels kernels_of() {
  return {KB_PICK(multiply_panel<T>), KB_PICK(widen_rows<T>), KB_PICK(narrow_rows<T>)};
}

Kernels kernels_for(kbench::DType dtype) {
  if (dtype == kbench::kFloat16) return kernels_of<F16>();
  if (dtype == kbench::kBFloat16) return kernels_of<BF16>();
  KBENCH_CHECK(dtype == kbench::kFloat32, "gemm: unsupported dtype");
  return kernels_of<float>();
}

struct Buffer {  // 64-byte aligned floats, not cleared
  explicit Buffer(int64_t n)
      : data(static_cast<float*>(std::aligned_alloc(64, static_cast<size_t>((n * 4 + 63) & ~63)))) {
    KBENCH_CHECK(data != nullptr, "gemm: out of memory");
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { std::free(data); }
  float* data;
};

struct Gemm {
  Kernels kernels;
  const char* b;
  char* c;
  int64_t n, k, element;

  // Columns [begin, end) of C for rows [row, row + m), whose float32 form is `a`.
  void columns(const float* a, int64_t row, int64_t m, int64_t begin, int64_t end) const {
    alignas(64) float sums[kRows * kPanel];
    for (int64_t j = begin; j < end; j += kPanel) {
      const int64_t width = end - j < kPanel ? end - j : kPanel;
      std::memset(sums, 0, static_cast<size_t>(m * kPanel) * sizeof(float));
      for (int64_t d = 0; d < k; d += kDepth) {
        const Block block{a + d, k, m, k - d < kDepth ? k - d : kDepth};
        kernels.multiply(block, b + (j * k + d) * element, k, width, sums);
      }
      for (int64_t r = 0; r < m; ++r)
        kernels.narrow(sums + r * kPanel, c + ((row + r) * n + j) * element, width);
    }
  }
};

void gemm(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
  KBENCH_CHECK(a.contiguous() && b.contiguous() && c.contiguous(),
               "gemm: tensors must be contiguous");
  KBENCH_CHECK(a.dtype() == b.dtype() && a.dtype() == c.dtype(), "gemm: dtypes differ");
  const int64_t m = a.size(0), k = a.size(1), n = b.size(0), element = a.dtype().bits / 8;
  const Gemm job{kernels_for(a.dtype()), b.data<char>(), c.data<char>(), n, k, element};
  const Buffer wide((m < kRows ? m : kRows) * k);
  for (int64_t row = 0; row < m; row += kRows) {
    const int64_t rows = m - row < kRows ? m - row : kRows;
    job.kernels.widen(a.data<char>() + row * k * element, wide.data, rows * k);
    const int64_t panels = (n + kPanel - 1) / kPanel;
    parallel(panels, 1 + 65536 / (k * rows), [&](int64_t begin, int64_t end) {
      job.columns(wide.data, row, rows, begin * kPanel, end * kPanel < n ? end * kPanel : n);
    });
  }
}

}  // namespace

KBENCH_EXPORT(run, gemm)
