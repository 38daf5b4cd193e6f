// Whether anything follows from which of equal numbers an operator picked.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace kbench {

// Sees the operators of one run. Among equal numbers, topk, argmax, sort, max(dim) and their like
// may pick any: an index that is returned as it is can be judged by its score, but what is
// gathered, masked or chosen further by it is another right answer for each right choice.
class PickUse {
 public:
  // An operator with its arguments and its results.
  void add(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
           c10::ArrayRef<c10::IValue> results);

  bool any() const { return any_; }

 private:
  bool is_pick(const at::Tensor& tensor) const;
  bool has_picks(const c10::IValue& value) const;

  std::vector<at::Tensor> picks_;  // and copies of them; kept, so that no other takes their memory
  bool any_ = false;
};

}  // namespace kbench
