// What x.view(dtype) means in a reference. In a double run x is double, whatever it is natively,
// and a dtype that compiled text names is, too: so a native run before keeps both, and the double
// run hears them in that order.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstddef>
#include <vector>

#include "reference/torch/exact/operator_watch.hpp"

namespace kbench {

struct BitView {
  c10::ScalarType from, to;
};

bool is_bit_view(const c10::OperatorHandle& op);

class BitViews : public OperatorWatch {
 public:
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;
  // What was seen until now belongs to loading the reference.
  void end_loading() { of_call_ = seen_.size(); }

  std::size_t first_of_call() const { return of_call_; }
  // nullptr: natively there were not so many.
  const BitView* at(std::size_t i) const { return i < seen_.size() ? &seen_[i] : nullptr; }

 private:
  std::vector<BitView> seen_;
  std::size_t of_call_ = 0;
};

}  // namespace kbench
