// SPDX-License-Identifier: Apache-2.0
// C[M, N] = A[M, K] * B[N, K]^T for float8_e4m3fn codes with one scale a row and K block of A and
// one a block of B; float32 sums, bfloat16 result. The scales are applied while codes are widened,
// four rows of B at a time into the first-level cache, so what remains is the float32 tile of
// gemm.cpp.
#include <vector>

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

struct Panel {  // rows of B from `row` on, at one block of K
  const E4M3* codes;
  int64_t stride;
  const float* scales;
  int64_t scale_stride;
  int64_t row;
  int64_t height;  // rows that share a scale
  int64_t group;   // elements of K that share a scale
};
}  // namespace

#define KB_KERNEL "quantized_gemm.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

struct Job {
  Tensor b, b_scale, c;
  int64_t n, k, group;

  // Columns [begin, end) of C for rows [row, row + m), whose scaled float32 form is `a`.
  void columns(const float* a, int64_t row, int64_t m, int64_t begin, int64_t end) const {
    alignas(64) float sums[kRows * kPanel];
    const auto multiply = KB_PICK(multiply_quantized);
    const auto narrow = KB_PICK(narrow_row);
    for (int64_t j = begin; j < end; j += kPanel) {
      const int64_t width = end - j < kPanel ? end - j : kPanel;
      std::memset(sums, 0, static_cast<size_t>(m * kPanel) * sizeof(float));
      for (int64_t d = 0; d < k; d += kDepth) {
        const Block block{a + d, k, m, k - d < kDepth ? k - d : kDepth};
        const Panel panel{
            b.data<E4M3>() + d,  k,    b_scale.data<float>() + d / group, b_scale.size(1), j,
            n / b_scale.size(0), group};
        multiply(block, panel, width, sums);
      }
      for (int64_t r = 0; r < m; ++r)
        narrow(sums + r * kPanel, c.data<BF16>() + (row + r) * n + j, width);
    }
  }
};

void quantized_gemm(Tensor a, Tensor b, Tensor a_scale, Tensor b_scale, Tensor c) {
  const int64_t m = a.size(0), k = a.size(1), n = b.size(0), k_blocks = a_scale.size(1);
  const Job job{b, b_scale, c, n, k, k / k_blocks};
  KBENCH_CHECK(k % k_blocks == 0 && n % b_scale.size(0) == 0 && kDepth % job.group == 0,
               "quantized_gemm: the scale blocks do not divide the matrix");
  KBENCH_CHECK(c.dtype() == kbench::kBFloat16, "quantized_gemm: the result must be bfloat16");
  const auto widen = KB_PICK(widen_row);
  std::vector<float> wide(static_cast<size_t>((m < kRows ? m : kRows) * k));
  for (int64_t row = 0; row < m; row += kRows) {
    const int64_t rows = m - row < kRows ? m - row : kRows;
    for (int64_t r = 0; r < rows; ++r)
      widen(a.data<E4M3>() + (row + r) * k, a_scale.data<float>() + (row + r) * k_blocks, job.group,
            wide.data() + r * k, k);
    parallel((n + kPanel - 1) / kPanel, 1, [&](int64_t begin, int64_t end) {
      job.columns(wide.data(), row, rows, begin * kPanel, end * kPanel < n ? end * kPanel : n);
    });
  }
}

}  // namespace

KBENCH_EXPORT(run, quantized_gemm)
