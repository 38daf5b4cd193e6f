// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers, whatever their types and strides: checks of a kernel's contract
// fill, convert and compare tensors by these.
#ifndef KBENCH_VALUES_H_
#define KBENCH_VALUES_H_

#include <algorithm>
#include <cmath>
#include <limits>

#include "kbench_call.h"
#include "kbench_layout.h"

namespace kbench::kernels {

// Calls visit(T()) for the C++ type of `type`. False for types that have none here.
template <typename Visit>
bool visit_type(ScalarType type, const Visit& visit) {
  switch (type) {
    case ScalarType::Bool:
      return visit(bool()), true;
    case ScalarType::Byte:
      return visit(uint8_t()), true;
    case ScalarType::Char:
      return visit(int8_t()), true;
    case ScalarType::Short:
      return visit(int16_t()), true;
    case ScalarType::Int:
      return visit(int32_t()), true;
    case ScalarType::Long:
      return visit(int64_t()), true;
    case ScalarType::Half:
      return visit(Half()), true;
    case ScalarType::BFloat16:
      return visit(BFloat16()), true;
    case ScalarType::Float:
      return visit(float()), true;
    case ScalarType::Double:
      return visit(double()), true;
    default:
      return false;
  }
}

inline bool has_values(ScalarType type) {
  return visit_type(type, [](auto) {});
}

inline bool is_floating(ScalarType type) {
  return type == ScalarType::Double || type == ScalarType::Float || type == ScalarType::Half ||
         type == ScalarType::BFloat16;
}

inline double load_value(ScalarType type, const void* from) {
  double value = 0;
  visit_type(type, [&](auto element) {
    std::memcpy(&element, from, sizeof element);
    value = static_cast<double>(element);
  });
  return value;
}

// Rounds; integers get the nearest that they have, and 0 for a NaN.
inline void store_value(ScalarType type, void* to, double value) {
  visit_type(type, [&](auto element) {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, bool>) {
      element = value != 0;
    } else if constexpr (std::is_integral_v<T>) {
      constexpr auto low = static_cast<double>(std::numeric_limits<T>::lowest());
      constexpr auto high = static_cast<double>(std::numeric_limits<T>::max());
      if (value <= low) element = std::numeric_limits<T>::lowest();
      if (value >= high) element = std::numeric_limits<T>::max();
      if (value > low && value < high) element = static_cast<T>(value);
    } else if constexpr (std::is_same_v<T, double>) {
      element = value;
    } else {
      element = static_cast<T>(static_cast<float>(value));
    }
    std::memcpy(to, &element, sizeof element);
  });
}

// Returns the value that a type makes of a value.
inline double value_in(ScalarType type, double value) {
  char element[sizeof(double)] = {};
  store_value(type, element, value);
  return load_value(type, element);
}

inline char* element_at(const TensorImpl& impl, int64_t offset) {
  return static_cast<char*>(impl.data) + offset * static_cast<int64_t>(element_size(impl.type));
}

// Does copy_common() for tensors of any two types.
inline void copy_values(const TensorImpl& from, const TensorImpl& to) {
  if (from.type == to.type) return copy_common(from, to);
  for_common_indices(from, to, [&](int64_t in_from, int64_t in_to) {
    store_value(to.type, element_at(to, in_to), load_value(from.type, element_at(from, in_from)));
  });
}

inline bool same_sizes(const TensorImpl& a, const TensorImpl& b) {
  return a.dim == b.dim && std::equal(a.sizes, a.sizes + a.dim, b.sizes);
}

// Compares bytes of two that are dense and in one dim order.
inline bool same_bytes(const TensorImpl& a, const TensorImpl& b) {
  const size_t bytes = static_cast<size_t>(a.numel()) * element_size(a.type);
  return same_sizes(a, b) && std::memcmp(a.data, b.data, bytes) == 0;
}

// Returns a view without dimension `dim`: of its first index.
inline TensorImpl without_dim(const TensorImpl& impl, int dim) {
  TensorImpl view = impl;
  view.dim = 0;
  for (int d = 0; d < impl.dim; ++d) {
    if (d == dim) continue;
    view.sizes[view.dim] = impl.sizes[d];
    view.strides[view.dim++] = impl.strides[d];
  }
  int next = 0;
  for (int i = 0; i < impl.dim; ++i) {
    const int d = impl.dim_order[i];
    if (d != dim) view.dim_order[next++] = static_cast<DimOrderType>(d > dim ? d - 1 : d);
  }
  return view;
}

// Makes a view of the sizes of `like`, as PyTorch broadcasts: one element stands for a whole
// dimension. The sizes must allow that.
inline bool broadcast_to(TensorImpl& impl, const TensorImpl& like) {
  const int missing = like.dim - impl.dim;
  if (missing < 0) return false;
  TensorImpl view = like;
  view.data = impl.data;
  view.type = impl.type;
  for (int d = 0; d < like.dim; ++d) {
    const bool is_one = d < missing || impl.sizes[d - missing] == 1;
    if (!is_one && impl.sizes[d - missing] != like.sizes[d]) return false;
    view.strides[d] = is_one ? 0 : impl.strides[d - missing];
  }
  impl = view;
  return true;
}

// Returns how far from each other, relative to the largest of them, two right answers may be. Data
// that is taken for other data is further off.
inline double tolerance_of(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
      return 0.01;
    case ScalarType::BFloat16:
      return 0.05;
    case ScalarType::Float:
    case ScalarType::Double:
      return 1e-3;
    default:
      return 0;
  }
}

// Returns the allowed difference of two right answers: for integers one more, a rounding.
inline double allowed_between(const TensorImpl& got, const TensorImpl& wanted) {
  double largest = 0;
  for_common_indices(wanted, wanted, [&](int64_t offset, int64_t) {
    const double value = std::fabs(load_value(wanted.type, element_at(wanted, offset)));
    if (std::isfinite(value)) largest = std::max(largest, value);
  });
  const bool is_rounded = !is_floating(wanted.type) && wanted.type != ScalarType::Bool;
  return largest * std::max(tolerance_of(got.type), tolerance_of(wanted.type)) +
         (is_rounded ? 1 : 0);
}

// Tells whether `got` has the values of `wanted`, as far as its type has them; where it has one
// element along a dimension, that stands for all.
inline bool are_close(TensorImpl got, const TensorImpl& wanted) {
  if (!broadcast_to(got, wanted)) return false;
  if (!has_values(got.type) || !has_values(wanted.type)) return true;
  const double allowed = allowed_between(got, wanted);
  bool are = true;
  for_common_indices(got, wanted, [&](int64_t in_got, int64_t in_wanted) {
    const double g = load_value(got.type, element_at(got, in_got));
    const double w = load_value(wanted.type, element_at(wanted, in_wanted));
    const double reachable = value_in(got.type, w);
    const bool is_lost = std::isfinite(w) && !(std::fabs(reachable - w) <= allowed);
    are = are &&
          (is_lost || g == w || (std::isnan(g) && std::isnan(w)) || std::fabs(g - w) <= allowed);
  });
  return are;
}

}  // namespace kbench::kernels

#endif  // KBENCH_VALUES_H_
