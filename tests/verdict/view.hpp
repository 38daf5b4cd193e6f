// Vectors as tensors, and numbers that tests of verdicts share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "problem/element.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Returns the number that a tensor of that dtype holds for `value`.
inline double stored(DType dtype, double value) {
  std::array<std::byte, 8> bytes{};
  encode(dtype, std::span<const double>(&value, 1), bytes.data(), 0);
  decode(dtype, bytes.data(), 0, std::span(&value, 1));
  return value;
}

// Views `values`, which must outlive it.
template <typename T>
TensorView view(DType dtype, const std::vector<T>& values, std::vector<std::int64_t> shape) {
  return {dtype, std::move(shape), reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(T)};
}

// Views float32 numbers, by default along one axis.
inline TensorView view(const std::vector<float>& values, std::vector<std::int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  return view(DType::float32, values, std::move(shape));
}

}  // namespace kbench
