// SPDX-License-Identifier: Apache-2.0
// C[g] = A[g] * B[g] with B stored K by N, in float16, bfloat16 or float32, or in float8_e4m3fn
// with a scale for each row and K block of A and each K block and column of B. Columns are
// contiguous, so a register tile takes outer products over K; panels of 128 columns of every group
// are shared out among threads, and each is read from memory once.
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
constexpr int64_t kRows = 60;    // rows of A in a block: a multiple of every tile height
constexpr int64_t kPanel = 128;  // columns of B in a panel
constexpr int64_t kDepth = 128;  // elements of K in a block

struct Block {
  const float* a;  // m rows of float32, lda apart
  int64_t lda;
  int64_t m;
  int64_t depth;
};
}  // namespace

#define KB_KERNEL "grouped_gemm.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

struct Kernels {
  void (*multiply)(const Block&, const void*, int64_t, int64_t, const float*, float*);
  void (*widen)(const void*, const float*, int64_t, float*, int64_t);
};

template <typename T>
Kernels kernels_of() {
  return {KB_PICK(multiply_columns<T>), KB_PICK(widen_row<T>)};
}

Kernels kernels_for(kbench::DType dtype) {
  if (dtype == kbench::kFloat16) return kernels_of<F16>();
  if (dtype == kbench::kBFloat16) return kernels_of<BF16>();
  if (dtype == kbench::kFloat8E4M3) return kernels_of<E4M3>();
  KBENCH_CHECK(dtype == kbench::kFloat32, "grouped_gemm: unsupported dtype");
  return kernels_of<float>();
}

auto narrow_for(kbench::DType dtype) -> void (*)(const float*, void*, int64_t) {
  if (dtype == kbench::kFloat16) return KB_PICK(narrow_row<F16>);
  if (dtype == kbench::kBFloat16) return KB_PICK(narrow_row<BF16>);
  KBENCH_CHECK(dtype == kbench::kFloat32, "grouped_gemm: unsupported result dtype");
  return KB_PICK(narrow_row<float>);
}

struct Grouped {
  Tensor a, b, c;
  const float* a_scale;  // null without scales
  const float* b_scale;
  int64_t group;  // elements of K that share a scale

  void run() const;
  void panel(const Kernels& kernels, const std::vector<float>& wide, int64_t g, int64_t column,
             int64_t first_row) const;
};

// One panel of columns of group g for the rows from `first_row` on; `wide` is all of A.
void Grouped::panel(const Kernels& kernels, const std::vector<float>& wide, int64_t g,
                    int64_t column, int64_t first_row) const {
  alignas(64) float sums[kRows * kPanel];
  const int64_t m = a.size(1), k = a.size(2), n = b.size(2);
  const int64_t rows = m - first_row < kRows ? m - first_row : kRows;
  const int64_t width = n - column < kPanel ? n - column : kPanel;
  const int64_t bytes = b.dtype().bits / 8, depth_step = b_scale != nullptr ? group : kDepth;
  std::memset(sums, 0, sizeof(sums));
  for (int64_t d = 0; d < k; d += depth_step) {
    const Block block{wide.data() + (g * m + first_row) * k + d, k, rows,
                      k - d < depth_step ? k - d : depth_step};
    const float* scale =
        b_scale != nullptr ? b_scale + (g * (k / group) + d / group) * n + column : nullptr;
    kernels.multiply(block, b.data<char>() + ((g * k + d) * n + column) * bytes, n, width, scale,
                     sums);
  }
  const auto narrow = narrow_for(c.dtype());
  const int64_t out_bytes = c.dtype().bits / 8;
  for (int64_t r = 0; r < rows; ++r)
    narrow(sums + r * kPanel, c.data<char>() + ((g * m + first_row + r) * n + column) * out_bytes,
           width);
}

void Grouped::run() const {
  KBENCH_CHECK(a.contiguous() && b.contiguous() && c.contiguous(),
               "grouped_gemm: tensors must be contiguous");
  KBENCH_CHECK(a.dtype() == b.dtype(), "grouped_gemm: dtypes differ");
  const Kernels kernels = kernels_for(a.dtype());
  const int64_t groups = a.size(0), m = a.size(1), k = a.size(2), n = b.size(2);
  std::vector<float> wide(static_cast<size_t>(groups * m * k));
  const int64_t bytes = a.dtype().bits / 8, blocks = k / group;
  for (int64_t row = 0; row < groups * m; ++row)
    kernels.widen(a.data<char>() + row * k * bytes,
                  a_scale != nullptr ? a_scale + row * blocks : nullptr, group,
                  wide.data() + row * k, k);
  const int64_t panels = (n + kPanel - 1) / kPanel;
  parallel(groups * panels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t row = 0; row < m; row += kRows)
        panel(kernels, wide, i / panels, i % panels * kPanel, row);
  });
}

void grouped_gemm(Tensor a, Tensor b, Tensor c) {
  Grouped{a, b, c, nullptr, nullptr, a.size(2)}.run();
}

void quantized_grouped_gemm(Tensor a, Tensor b, Tensor a_scale, Tensor b_scale, Tensor c) {
  const int64_t group = a.size(2) / a_scale.size(2);
  KBENCH_CHECK(group <= kDepth && a.size(2) % a_scale.size(2) == 0,
               "grouped_gemm: the scale blocks do not fit");
  Grouped{a, b, c, a_scale.data<float>(), b_scale.data<float>(), group}.run();
}

}  // namespace

KBENCH_EXPORT(grouped_gemm, grouped_gemm)
KBENCH_EXPORT(quantized_grouped_gemm, quantized_grouped_gemm)
