// SPDX-License-Identifier: Apache-2.0
// Layout of tensors: the dim order that strides mean, and copies from some strides to others.
#ifndef KBENCH_LAYOUT_H_
#define KBENCH_LAYOUT_H_

#include <algorithm>
#include <numeric>
#include <string>

#include "kbench_tensor.h"

namespace kbench::kernels {

// Tells whether the elements lie one behind the other, as the dim order says. The stride of a
// dimension of length 1 does not matter.
inline bool is_dense(const TensorImpl& impl) {
  StridesType expected = 1;
  bool fits = true;
  for (int i = impl.dim - 1; i >= 0; --i) {
    const int d = impl.dim_order[i];
    if (impl.sizes[d] == 0) return true;
    if (impl.sizes[d] != 1) fits = fits && impl.strides[d] == expected;
    expected *= impl.sizes[d];
  }
  return fits;
}

inline void set_contiguous_order(TensorImpl& impl) {
  std::iota(impl.dim_order, impl.dim_order + impl.dim, DimOrderType{0});
}

// Sets the dim order, from the outermost dimension in memory to the innermost, by the strides.
// Freedom from lengths of 1 is used as in PyTorch's memory formats, contiguous first.
inline void read_dim_order(TensorImpl& impl) {
  constexpr DimOrderType last_2d[] = {0, 2, 3, 1}, last_3d[] = {0, 2, 3, 4, 1};
  set_contiguous_order(impl);
  if (is_dense(impl)) return;
  if (impl.dim == 4 || impl.dim == 5) {
    std::copy_n(impl.dim == 4 ? last_2d : last_3d, impl.dim, impl.dim_order);
    if (is_dense(impl)) return;
  }
  std::sort(impl.dim_order, impl.dim_order + impl.dim, [&](DimOrderType a, DimOrderType b) {
    return impl.strides[a] != impl.strides[b] ? impl.strides[a] > impl.strides[b] : a < b;
  });
}

// Returns "Float[0,1] (3, 4)": a message's words for a tensor. One with gaps counts as contiguous,
// as kernels get a copy of it.
inline std::string text_of(TensorImpl impl) {
  if (!is_dense(impl)) set_contiguous_order(impl);
  std::string order, sizes;
  for (int i = 0; i < impl.dim; ++i) {
    order += (i > 0 ? "," : "") + std::to_string(impl.dim_order[i]);
    sizes += (i > 0 ? ", " : "") + std::to_string(impl.sizes[i]);
  }
  return name_of(impl.type) + ("[" + order + "] (" + sizes + ")");
}

// Calls `each` with the offsets in elements, in `a` and in `b`, of every index that both have.
template <typename Each>
void for_common_indices(const TensorImpl& a, const TensorImpl& b, const Each& each) {
  int64_t index[kMaxDims] = {};
  for (int d = 0; d < a.dim; ++d) {
    if (a.sizes[d] == 0 || b.sizes[d] == 0) return;
  }
  while (true) {
    int64_t in_a = 0, in_b = 0;
    for (int d = 0; d < a.dim; ++d) {
      in_a += index[d] * a.strides[d];
      in_b += index[d] * b.strides[d];
    }
    each(in_a, in_b);
    int d = a.dim - 1;
    while (d >= 0 && ++index[d] == std::min(a.sizes[d], b.sizes[d])) index[d--] = 0;
    if (d < 0) return;
  }
}

// Copies all indices that both have, whatever their strides. The ranks and types are the same.
inline void copy_common(const TensorImpl& from, const TensorImpl& to) {
  const auto size = static_cast<int64_t>(element_size(from.type));
  for_common_indices(from, to, [&](int64_t in_from, int64_t in_to) {
    std::memcpy(static_cast<char*>(to.data) + in_to * size,
                static_cast<const char*>(from.data) + in_from * size, static_cast<size_t>(size));
  });
}

}  // namespace kbench::kernels

#endif  // KBENCH_LAYOUT_H_
