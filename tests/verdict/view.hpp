// Vectors as tensors.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "problem/tensor_view.hpp"

namespace kbench {

// `values` must outlive it.
template <typename T>
TensorView view(DType dtype, const std::vector<T>& values, std::vector<std::int64_t> shape) {
  return {dtype, std::move(shape), reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(T)};
}

// float32; by default of one axis.
inline TensorView view(const std::vector<float>& values, std::vector<std::int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
  return view(DType::float32, values, std::move(shape));
}

}  // namespace kbench
