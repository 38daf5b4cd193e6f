// SPDX-License-Identifier: Apache-2.0
// Element types: which there are, the C++ type of each, and the type that its values are computed
// in.
#ifndef KBENCH_CPU_DTYPES_H_
#define KBENCH_CPU_DTYPES_H_

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kbench_kernel.h"

namespace kbench_cpu {
using namespace kbench::kernels;

template <typename T>
struct Type {
  using type = T;
};

// Calls visit(Type<T>()) for the C++ type of `type`; false where it is none of these.
template <typename Visit>
bool visit_floating(ScalarType type, const Visit& visit) {
  switch (type) {
    case ScalarType::Half:
      visit(Type<Half>());
      return true;
    case ScalarType::BFloat16:
      visit(Type<BFloat16>());
      return true;
    case ScalarType::Float:
      visit(Type<float>());
      return true;
    case ScalarType::Double:
      visit(Type<double>());
      return true;
    default:
      return false;
  }
}

// The types that quantised values have.
template <typename Visit>
bool visit_code(ScalarType type, const Visit& visit) {
  switch (type) {
    case ScalarType::Byte:
      visit(Type<uint8_t>());
      return true;
    case ScalarType::Char:
      visit(Type<int8_t>());
      return true;
    case ScalarType::Short:
      visit(Type<int16_t>());
      return true;
    case ScalarType::Int:
      visit(Type<int32_t>());
      return true;
    default:
      return false;
  }
}

template <typename Visit>
bool visit_number(ScalarType type, const Visit& visit) {
  if (visit_floating(type, visit) || visit_code(type, visit)) return true;
  if (type == ScalarType::Long) visit(Type<int64_t>());
  return type == ScalarType::Long;
}

template <typename Visit>
bool visit_any(ScalarType type, const Visit& visit) {
  if (type == ScalarType::Bool) visit(Type<bool>());
  return type == ScalarType::Bool || visit_number(type, visit);
}

struct Ignore {
  template <typename T>
  void operator()(T) const {}
};
inline bool is_floating(ScalarType type) { return visit_floating(type, Ignore()); }
inline bool is_code(ScalarType type) { return visit_code(type, Ignore()); }
inline bool is_number(ScalarType type) { return visit_number(type, Ignore()); }
inline bool is_any(ScalarType type) { return visit_any(type, Ignore()); }

template <typename T>
constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Integers are computed modulo 2^64, which is what PyTorch's wrap-around comes to in each width.
template <typename T>
using Arithmetic =
    std::conditional_t<is_half<T>, float, std::conditional_t<std::is_integral_v<T>, uint64_t, T>>;

template <typename T>
Arithmetic<T> load(T value) {
  return static_cast<Arithmetic<T>>(value);
}
template <typename T, typename Value>
T round_to(Value value) {
  if constexpr (is_half<T>) {
    return T(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else {
    return static_cast<T>(value);
  }
}

// A Scalar's value, whatever its kind: to<double>() takes no integer in ExecuTorch.
inline double to_double(const Scalar& scalar) {
  if (scalar.isFloatingPoint()) return scalar.to<double>();
  if (scalar.isBoolean()) return scalar.to<bool>() ? 1.0 : 0.0;
  return static_cast<double>(scalar.to<int64_t>());
}
inline int64_t to_integer(const Scalar& scalar) {
  if (scalar.isBoolean()) return scalar.to<bool>() ? 1 : 0;
  return scalar.to<int64_t>();
}

// The lowest and the highest value of an integer type.
struct Limits {
  int64_t lowest;
  int64_t highest;
};
inline Limits limits(ScalarType integer) {
  Limits out = {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  visit_code(integer, [&](auto type) {
    using T = typename decltype(type)::type;
    out = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  });
  return out;
}
// The largest finite value of a floating type.
inline double highest_finite(ScalarType floating) {
  if (floating == ScalarType::Half) return 65504.0;
  if (floating == ScalarType::BFloat16) return 0x1.fep127;
  if (floating == ScalarType::Float) return std::numeric_limits<float>::max();
  return std::numeric_limits<double>::max();
}

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_DTYPES_H_
