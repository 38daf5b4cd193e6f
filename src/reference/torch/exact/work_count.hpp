// The arithmetic operations of a call and what it reads, for rooflines.
#pragma once

#include "reference/torch/exact/operator_watch.hpp"
#include "reference/torch/exact/read_count.hpp"

namespace kbench {

// Counts while operators go through it. A product of matrices, contraction, convolution or
// attention of m×n results over k terms counts 2·m·n·k; element-wise operators and reductions count
// one for each element of their result or their first argument. Moving, converting, filling and
// indexing count nothing. Operators that are made of others count as their parts do; attention
// counts all its products, masked ones too.
class WorkCount : public OperatorWatch {
 public:
  explicit WorkCount(const std::vector<c10::IValue>& inputs) : reads_(inputs) {}

  double flops() const { return flops_; }
  // What the call has returned counts as read where it is an input's.
  double bytes_read(const c10::IValue& returned);

  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;

 private:
  double flops_ = 0;
  ReadCount reads_;
};

}  // namespace kbench
