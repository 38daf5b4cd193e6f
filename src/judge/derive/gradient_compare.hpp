// Tensors of a gradient check, held against each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "judge/derive/gradient_report.hpp"
#include "problem/tensor_view.hpp"
#include "verdict/standard.hpp"

namespace kbench {

// A tensor's own copy: what a process left is gone with its next call.
struct KeptTensor {
  TensorView view;  // of `bytes`
  std::vector<std::byte> bytes;
};
std::vector<KeptTensor> kept(const std::vector<TensorView>& views);
std::vector<TensorView> views_of(const std::vector<KeptTensor>& tensors);

// Elements whose bits differ; tensors are of one shape and dtype.
std::size_t differing_elements(const TensorView& a, const TensorView& b);

// Tensors of several calls beside those of the first.
struct RepeatedTensors {
  std::vector<KeptTensor> first;
  std::size_t others = 0, all = 0;  // elements with other bits, of one call at most

  // False where some of its bits are others.
  bool add(const std::vector<TensorView>& tensors);
};

// One tensor by the rule `kbench`: status, detail and, of a floating one, its worst element.
GradientRow judged_row(std::string check, const std::string& name, const TensorView& tensor,
                       const TensorView& reference, const Standard& standard);

// The element of `value` that is furthest from `expected`, in parts of its bound. A NaN is further
// than any number, and so is what is off where the bound is 0.
WorstElement furthest_off(std::span<const double> value, std::span<const double> expected,
                          std::span<const double> bound, const std::vector<std::int64_t>& shape);

}  // namespace kbench
