// SPDX-License-Identifier: Apache-2.0
// mm and bmm of contiguous Float matrices. A tile of the output is summed in registers over a part
// of the depth, then added to what the parts before have left in the output.
#include <algorithm>

#include "kernels.h"
#include "shape.h"
#include "simd.h"

#if defined(__x86_64__)

namespace kbench_cpu {
namespace {

constexpr int64_t kPart = 128;   // of the depth
constexpr int64_t kVectors = 3;  // of a packed panel's columns
constexpr int64_t kPanel = kVectors * avx512::kLanes;

struct Factors {
  const float* a;
  const float* b;
  float* y;
  int64_t rows;
  int64_t columns;
  int64_t depth;
};

// A part of the product: `depth` columns of a and rows of b; a's rows are as long as `a_step`, and
// so on. `is_first` where y has no sum yet.
struct Tile {
  const float* a;
  const float* b;
  float* y;
  int64_t a_step, b_step, y_step;
  int64_t depth;
  int64_t columns;
  bool is_first;
};

template <int rows, int vectors>
KBENCH_CPU_AVX512 void multiply(const Tile& tile) {
  __mmask16 masks[vectors];
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) masks[v] = avx512::first(tile.columns - v * avx512::kLanes);
  __m512 sums[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) sums[r][v] = _mm512_setzero_ps();
  }
  const float* b = tile.b;
  for (int64_t k = 0; k < tile.depth; ++k, b += tile.b_step) {
    __m512 right[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) right[v] = avx512::load(b + v * avx512::kLanes, masks[v]);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const __m512 left = _mm512_set1_ps(tile.a[r * tile.a_step + k]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) sums[r][v] = _mm512_fmadd_ps(left, right[v], sums[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
    float* const y = tile.y + r * tile.y_step;
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      __m512 sum = sums[r][v];
      if (!tile.is_first) sum = _mm512_add_ps(sum, avx512::load(y + v * avx512::kLanes, masks[v]));
      avx512::store(y + v * avx512::kLanes, sum, masks[v]);
    }
  }
}

Tile tile_at(const Factors& factors, int64_t row, int64_t column, int64_t k) {
  Tile tile;
  tile.a = factors.a + row * factors.depth + k;
  tile.b = factors.b + k * factors.columns + column;
  tile.y = factors.y + row * factors.columns + column;
  tile.a_step = factors.depth;
  tile.b_step = factors.columns;
  tile.y_step = factors.columns;
  tile.depth = std::min(kPart, factors.depth - k);
  tile.columns = factors.columns - column;
  tile.is_first = k == 0;
  return tile;
}

// Some rows from `row` on, all columns, b where it lies: for products of few rows, which read each
// element of b once or twice.
template <int rows, int vectors>
void multiply_strip(const Factors& factors, int64_t row, int64_t k) {
  for (int64_t column = 0; column < factors.columns; column += vectors * avx512::kLanes)
    multiply<rows, vectors>(tile_at(factors, row, column, k));
}

void multiply_few_rows(const Factors& factors, int64_t k) {
  int64_t row = 0;
  for (; row + 4 <= factors.rows; row += 4) multiply_strip<4, 6>(factors, row, k);
  for (; row + 2 <= factors.rows; row += 2) multiply_strip<2, 8>(factors, row, k);
  if (row < factors.rows) multiply_strip<1, 8>(factors, row, k);
}

// Rows of b one after the other: rows that are a multiple of 4 KB apart share few sets of a cache.
KBENCH_CPU_AVX512 void pack(const Tile& tile, float* panel) {
  for (int64_t k = 0; k < tile.depth; ++k) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const int64_t at = v * avx512::kLanes;
      avx512::store(panel + k * kPanel + at,
                    avx512::load(tile.b + k * tile.b_step + at, avx512::first(tile.columns - at)));
    }
  }
}

void multiply_panel(const Factors& factors, int64_t column, int64_t k) {
  alignas(64) float panel[kPart * kPanel];  // 24 KB
  pack(tile_at(factors, 0, column, k), panel);
  const auto packed = [&](int64_t row) {
    Tile tile = tile_at(factors, row, column, k);
    tile.b = panel;
    tile.b_step = kPanel;
    return tile;
  };
  int64_t row = 0;
  for (; row + 8 <= factors.rows; row += 8) multiply<8, kVectors>(packed(row));
  for (; row + 4 <= factors.rows; row += 4) multiply<4, kVectors>(packed(row));
  for (; row < factors.rows; ++row) multiply<1, kVectors>(packed(row));
}

void multiply(const Factors& factors) {
  if (factors.depth == 0) std::fill_n(factors.y, factors.rows * factors.columns, 0.0F);
  for (int64_t k = 0; k < factors.depth; k += kPart) {
    if (factors.rows < 8) {
      multiply_few_rows(factors, k);
    } else {
      for (int64_t column = 0; column < factors.columns; column += kPanel)
        multiply_panel(factors, column, k);
    }
  }
}

// The last two dimensions of the tensors.
Factors factors_of(const Tensor& self, const Tensor& mat2, Tensor& out) {
  const int64_t last = self.dim() - 1;
  return {static_cast<const float*>(self.const_data_ptr()),
          static_cast<const float*>(mat2.const_data_ptr()),
          static_cast<float*>(out.mutable_data_ptr()),
          self.size(last - 1),
          mat2.size(last),
          self.size(last)};
}

}  // namespace

namespace native {

Tensor& mm_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2,
                      Tensor& out) {
  if (self.size(1) != mat2.size(0)) return mm_out(context, self, mat2, out);
  Shape shape;
  shape.append(self.size(0));
  shape.append(mat2.size(1));
  if (!resize(context, out, shape)) return out;
  if (!lies_apart(context, out, self) || !lies_apart(context, out, mat2)) return out;
  multiply(factors_of(self, mat2, out));
  return out;
}

Tensor& bmm_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2,
                       Tensor& out) {
  if (self.size(0) != mat2.size(0) || self.size(2) != mat2.size(1))
    return bmm_out(context, self, mat2, out);
  Shape shape;
  shape.append(self.size(0));
  shape.append(self.size(1));
  shape.append(mat2.size(2));
  if (!resize(context, out, shape)) return out;
  if (!lies_apart(context, out, self) || !lies_apart(context, out, mat2)) return out;
  Factors factors = factors_of(self, mat2, out);
  for (int64_t i = 0; i < self.size(0); ++i) {
    multiply(factors);
    factors.a += factors.rows * factors.depth;
    factors.b += factors.depth * factors.columns;
    factors.y += factors.rows * factors.columns;
  }
  return out;
}

}  // namespace native
}  // namespace kbench_cpu

#endif  // defined(__x86_64__)
