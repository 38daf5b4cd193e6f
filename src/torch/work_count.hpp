// The arithmetic operations of a call, for rooflines.
#pragma once

#include "torch/operator_watch.hpp"

namespace kbench {

// Counts while operators go through it. A product of matrices, contraction, convolution or
// attention of m×n results over k terms counts 2·m·n·k; element-wise operators and reductions count
// one for each element of their result or their first argument. Moving, converting, filling and
// indexing count nothing. Operators that are made of others count as their parts do; attention
// counts all its products, masked ones too.
class WorkCount : public OperatorWatch {
 public:
  double flops() const { return flops_; }

  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;

 private:
  double flops_ = 0;
};

}  // namespace kbench
