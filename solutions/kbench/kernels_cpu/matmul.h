// SPDX-License-Identifier: Apache-2.0
// The product of two matrices of any strides.
#ifndef KBENCH_CPU_MATMUL_H_
#define KBENCH_CPU_MATMUL_H_

#include <algorithm>
#include <cstdint>

#include "dtypes.h"
#include "shape.h"

namespace kbench_cpu {

template <typename T>
struct Matrix {
  T* data;
  int64_t row_stride;
  int64_t column_stride;
};

struct Extents {
  int64_t rows;
  int64_t columns;
  int64_t depth;  // columns of the first matrix, rows of the second one
};

// The last two dimensions of a tensor. T is const for one that is read.
template <typename T, typename Data>
Matrix<T> matrix(const Tensor& tensor, Data* data) {
  return {static_cast<T*>(data), stride(tensor, tensor.dim() - 2),
          stride(tensor, tensor.dim() - 1)};
}

constexpr int64_t kColumns = 64;  // that are summed at a time

// sums += left * right, n elements. All of them side by side is the usual case, and one that a
// compiler makes vector code of.
template <typename C, typename T>
void add_products(C left, const T* right, int64_t step, int64_t n, C* sums) {
  if (step == 1 && n == kColumns) {
    for (int64_t i = 0; i < kColumns; ++i) sums[i] += left * load(right[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) sums[i] += left * load(right[i * step]);
  }
}

// One row of the output. Sums are made of parts of `kPart` products, so that a rounding error grows
// with the part's length and the number of parts, not with their product.
template <typename T>
void multiply_row(Matrix<const T> a, Matrix<const T> b, Matrix<T> out, Extents extents) {
  constexpr int64_t kPart = 64;
  using C = Arithmetic<T>;
  for (int64_t j = 0; j < extents.columns; j += kColumns) {
    const int64_t n = std::min(kColumns, extents.columns - j);
    C sums[kColumns] = {};
    for (int64_t begin = 0; begin < extents.depth; begin += kPart) {
      const int64_t end = std::min(begin + kPart, extents.depth);
      C parts[kColumns] = {};
      for (int64_t k = begin; k < end; ++k)
        add_products(load(a.data[k * a.column_stride]),
                     b.data + k * b.row_stride + j * b.column_stride, b.column_stride, n, parts);
      for (int64_t i = 0; i < n; ++i) sums[i] += parts[i];
    }
    T* const to = out.data + j * out.column_stride;
    for (int64_t i = 0; i < n; ++i) to[i * out.column_stride] = round_to<T>(sums[i]);
  }
}

template <typename T>
void multiply(Matrix<const T> a, Matrix<const T> b, Matrix<T> out, Extents extents) {
  for (int64_t i = 0; i < extents.rows; ++i) {
    multiply_row(a, b, out, extents);
    a.data += a.row_stride;
    out.data += out.row_stride;
  }
}

// Of mm and bmm. "" where the element types are one that they take.
inline const char* matmul_type_problem(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  const ScalarType type = self.scalar_type();
  if (!is_number(type)) return "self has an element type that matrices are not multiplied in";
  if (mat2.scalar_type() != type || out.scalar_type() != type)
    return "self, mat2 and out must have one element type";
  return "";
}

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_MATMUL_H_
