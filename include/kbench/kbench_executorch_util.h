// SPDX-License-Identifier: Apache-2.0
// Questions of ExecuTorch's kernels about tensors. Include kbench_executorch.h.
#ifndef KBENCH_EXECUTORCH_UTIL_H_
#define KBENCH_EXECUTORCH_UTIL_H_

#include "kbench_executorch_types.h"

#if !KBENCH_WITH_EXECUTORCH

namespace executorch::runtime {

inline bool dim_is_valid(int64_t dim, int64_t rank) { return dim >= -rank && dim < rank; }
// A tensor without dimensions counts as one dimension, since it has one element.
inline int64_t nonzero_dim(const aten::Tensor& tensor) {
  return tensor.dim() == 0 ? 1 : tensor.dim();
}
inline int64_t nonempty_size(const aten::Tensor& tensor, int64_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.size(dim);
}

inline bool tensor_is_type(aten::Tensor tensor, aten::ScalarType type) {
  return tensor.scalar_type() == type;
}
inline bool tensor_is_bool_type(aten::Tensor tensor) {
  return tensor_is_type(tensor, aten::ScalarType::Bool);
}
inline bool tensor_is_floating_type(aten::Tensor tensor) {
  return isFloatingType(tensor.scalar_type());
}
inline bool tensor_is_integral_type(aten::Tensor tensor, bool with_bool = false) {
  return isIntegralType(tensor.scalar_type(), with_bool);
}
inline bool tensor_is_real_type(aten::Tensor tensor) { return isRealType(tensor.scalar_type()); }
inline bool tensor_is_realhbbf16_type(aten::Tensor tensor) {
  return isRealHBBF16Type(tensor.scalar_type());
}

inline bool tensor_is_rank(aten::Tensor tensor, size_t rank) {
  return tensor.dim() == static_cast<int64_t>(rank);
}
inline bool tensor_is_scalar(aten::Tensor tensor) {
  return tensor.dim() == 0 && tensor.numel() == 1;
}
inline bool tensor_has_dim(aten::Tensor tensor, int64_t dim) {
  return dim_is_valid(dim, nonzero_dim(tensor));
}
inline bool tensor_has_non_empty_dim(aten::Tensor tensor, int64_t dim) {
  return nonempty_size(tensor, dim) != 0;
}
inline bool tensor_has_expected_size(aten::Tensor tensor, ArrayRef<aten::SizesType> sizes) {
  return tensor.sizes().equals(sizes);
}

// Holds two tensors or more against the first, as all of these do.
template <typename... Tensors>
bool tensors_have_same_dtype(aten::Tensor first, Tensors... others) {
  return (... && (others.scalar_type() == first.scalar_type()));
}
template <typename... Tensors>
bool tensors_have_same_rank(aten::Tensor first, Tensors... others) {
  return (... && (others.dim() == first.dim()));
}
// Two tensors with one element each have one shape, as in ExecuTorch.
template <typename... Tensors>
bool tensors_have_same_shape(aten::Tensor first, Tensors... others) {
  const bool is_one = (first.numel() == 1) && (... && (others.numel() == 1));
  return is_one || (... && others.sizes().equals(first.sizes()));
}
template <typename... Tensors>
bool tensors_have_same_shape_and_dtype(aten::Tensor first, Tensors... others) {
  return tensors_have_same_dtype(first, others...) && tensors_have_same_shape(first, others...);
}
template <typename... Tensors>
bool tensors_have_same_strides(aten::Tensor first, Tensors... others) {
  return (... && others.strides().equals(first.strides()));
}

inline bool is_contiguous_dim_order(const aten::DimOrderType* order, size_t rank) {
  for (size_t i = 0; i < rank; ++i)
    if (order[i] != i) return false;
  return true;
}
// Recognises 0, 2, 3, 1 of four dimensions; 0, 2, 3, 4, 1 of five.
inline bool is_channels_last_dim_order(const aten::DimOrderType* order, size_t rank) {
  if ((rank != 4 && rank != 5) || order[0] != 0 || order[rank - 1] != 1) return false;
  for (size_t i = 1; i + 1 < rank; ++i)
    if (order[i] != i + 1) return false;
  return true;
}
inline bool tensor_is_default_dim_order(aten::Tensor tensor) {
  return is_contiguous_dim_order(tensor.dim_order().data(), tensor.dim_order().size());
}
inline bool tensor_is_channels_last_dim_order(aten::Tensor tensor) {
  return is_channels_last_dim_order(tensor.dim_order().data(), tensor.dim_order().size());
}
inline bool tensor_is_default_or_channels_last_dim_order(aten::Tensor tensor) {
  return tensor_is_default_dim_order(tensor) || tensor_is_channels_last_dim_order(tensor);
}
inline bool tensor_is_contiguous(aten::Tensor tensor) {
  int64_t stride = 1;
  for (int64_t dim = tensor.dim() - 1; dim >= 0; --dim) {
    if (tensor.strides()[static_cast<size_t>(dim)] != stride) return false;
    stride *= tensor.size(dim);
  }
  return true;
}
// Tells whether all are contiguous, or all channels last.
template <typename... Tensors>
bool tensors_have_same_dim_order(aten::Tensor first, Tensors... others) {
  return (tensor_is_default_dim_order(first) && (... && tensor_is_default_dim_order(others))) ||
         (tensor_is_channels_last_dim_order(first) &&
          (... && tensor_is_channels_last_dim_order(others)));
}

// Counts the elements before and behind a dimension.
inline size_t getLeadingDims(const aten::Tensor& tensor, int64_t dim) {
  size_t count = 1;
  for (int64_t i = 0; i < dim; ++i) count *= static_cast<size_t>(tensor.size(i));
  return count;
}
inline size_t getTrailingDims(const aten::Tensor& tensor, int64_t dim) {
  size_t count = 1;
  for (int64_t i = dim + 1; i < tensor.dim(); ++i) count *= static_cast<size_t>(tensor.size(i));
  return count;
}

}  // namespace executorch::runtime

// Aborts where its tensors do not fit, as all of these do.
#define ET_CHECK_SAME_DTYPE2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_dtype(a, b), "types that differ")
#define ET_CHECK_SAME_DTYPE3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_dtype(a, b, c), "types that differ")
#define ET_CHECK_SAME_SHAPE2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape(a, b), "shapes that differ")
#define ET_CHECK_SAME_SHAPE3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape(a, b, c), "shapes that differ")
#define ET_CHECK_SAME_SHAPE_AND_DTYPE2(a, b)                                   \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape_and_dtype(a, b), \
               "shapes or types that differ")
#define ET_CHECK_SAME_SHAPE_AND_DTYPE3(a, b, c)                                   \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape_and_dtype(a, b, c), \
               "shapes or types that differ")

#endif  // !KBENCH_WITH_EXECUTORCH

#endif  // KBENCH_EXECUTORCH_UTIL_H_
