// Tensors for the tests of the runtime that generated code needs.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "kbench/kbench_registry.h"

namespace kbench::kernels {

// A tensor without memory: an element type and a dim order, every size 2.
inline TensorImpl made(ScalarType type, std::initializer_list<int> order) {
  TensorImpl impl;
  impl.type = type;
  for (const int dim : order) {
    impl.sizes[impl.dim] = 2;
    impl.dim_order[impl.dim++] = static_cast<DimOrderType>(dim);
  }
  impl.set_dense_strides();
  return impl;
}

// Tensors' metadata that a call is looked up by, and the memory behind it.
class Metas {
 public:
  Metas() = default;
  Metas(std::initializer_list<std::pair<ScalarType, std::vector<DimOrderType>>> tensors) {
    for (const auto& [type, order] : tensors) add(type, order);
  }
  void add(ScalarType type, std::vector<DimOrderType> order) {
    orders_.push_back(std::move(order));
    types_.push_back(type);
  }
  Span<const TensorMeta> span() {
    metas_.clear();
    for (size_t i = 0; i < types_.size(); ++i)
      metas_.push_back({types_[i], {orders_[i].data(), orders_[i].size()}});
    return {metas_.data(), metas_.size()};
  }

 private:
  std::vector<std::vector<DimOrderType>> orders_;
  std::vector<ScalarType> types_;
  std::vector<TensorMeta> metas_;
};

}  // namespace kbench::kernels
