// SPDX-License-Identifier: Apache-2.0
// Sizes and strides: of tensors, of what two make by broadcasting, and of an output.
#ifndef KBENCH_CPU_SHAPE_H_
#define KBENCH_CPU_SHAPE_H_

#include <array>
#include <cstdint>
#include <limits>

#include "kbench_kernel.h"

namespace kbench_cpu {
using namespace kbench::kernels;

constexpr int kRank = 16;  // the most dimensions that a tensor has

struct Shape {
  int dim = 0;
  SizesType sizes[kRank] = {};

  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < dim; ++i) n *= sizes[i];
    return n;
  }
  ArrayRef<SizesType> view() const { return {sizes, static_cast<size_t>(dim)}; }
  // False where it is too large a number, or there are too many dimensions.
  bool append(int64_t size) {
    if (dim == kRank || size > std::numeric_limits<SizesType>::max()) return false;
    sizes[dim++] = static_cast<SizesType>(size);
    return true;
  }
};

inline int rank(const Tensor& tensor) { return static_cast<int>(tensor.dim()); }

inline Shape shape_of(const Tensor& tensor) {
  Shape shape;
  shape.dim = rank(tensor);
  for (int i = 0; i < shape.dim; ++i) shape.sizes[i] = tensor.sizes()[static_cast<size_t>(i)];
  return shape;
}

inline bool same_sizes(const Tensor& a, const Tensor& b) {
  bool is_same = a.dim() == b.dim();
  for (int i = 0; is_same && i < rank(a); ++i) is_same = a.size(i) == b.size(i);
  return is_same;
}

// The sizes of a and b together, aligned at the last dimension. False where they do not fit.
inline bool broadcast(const Tensor& a, const Tensor& b, Shape& out) {
  const Tensor& longer = a.dim() >= b.dim() ? a : b;
  const Tensor& other = a.dim() >= b.dim() ? b : a;
  const int missing = rank(longer) - rank(other);
  out = shape_of(longer);
  for (int i = missing; i < out.dim; ++i) {
    const auto size = static_cast<SizesType>(other.size(i - missing));
    if (size != out.sizes[i] && size != 1 && out.sizes[i] != 1) return false;
    if (out.sizes[i] == 1) out.sizes[i] = size;
  }
  return true;
}

using Strides = std::array<int64_t, kRank>;

// The strides of `tensor` in a loop over `shape`: 0 where its one element serves a whole dimension.
inline Strides strides_in(const Shape& shape, const Tensor& tensor) {
  Strides strides = {};
  const int missing = shape.dim - rank(tensor);
  for (int i = 0; i < rank(tensor); ++i) {
    const bool is_one = tensor.size(i) == 1;
    strides[static_cast<size_t>(missing + i)] =
        is_one ? 0 : static_cast<int64_t>(tensor.strides()[static_cast<size_t>(i)]);
  }
  return strides;
}
inline Strides strides_of(const Tensor& tensor) { return strides_in(shape_of(tensor), tensor); }

inline int64_t stride(const Tensor& tensor, int64_t dim) {
  return tensor.strides()[static_cast<size_t>(dim)];
}

// -1 is the last of `rank` dimensions; a tensor of rank 0 is taken for one of rank 1, as PyTorch
// does. False where there is no such dimension.
inline bool wrap_dim(int64_t& dim, int64_t rank) {
  const int64_t n = rank > 0 ? rank : 1;
  if (dim < -n || dim >= n) return false;
  if (dim < 0) dim += n;
  return true;
}

// Gives `out` its sizes. Where that fails the context says why, and the kernel ends.
inline bool resize(KernelRuntimeContext& context, Tensor& out, const Shape& shape) {
  const Error error = resize_tensor(out, shape.view());
  if (error != Error::Ok) fail(context, error, "out cannot be given the sizes of the result");
  return error == Error::Ok;
}

// Whether two tensors have memory in common.
inline bool overlap(const Tensor& a, const Tensor& b) {
  const auto from = reinterpret_cast<uintptr_t>(a.const_data_ptr());
  const auto other = reinterpret_cast<uintptr_t>(b.const_data_ptr());
  return from < other + b.nbytes() && other < from + a.nbytes();
}

// False where an output, which has its sizes, lies in the memory of an input that is read after the
// output is written. Then the context says so, and the kernel ends.
inline bool lies_apart(KernelRuntimeContext& context, const Tensor& out, const Tensor& in) {
  const bool does = !overlap(out, in);
  if (!does) fail(context, Error::InvalidArgument, "out lies in the memory of an input");
  return does;
}

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_SHAPE_H_
