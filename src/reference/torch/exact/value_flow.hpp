// History of each tensor of a run that decides how exact it can be expected to be.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Storage.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace kbench {

struct ValueHistory {
  bool is_computed = false;    // some operator has rounded it: it is no input's number any more
  bool after_product = false;  // a product of matrices took a computed number on the way to it
  bool after_codes = false;    // something was rounded to codes on the way to it
  // Rounding on the way by more than a sum or a product of matrices of inputs.
  bool more_than_sums = false;
  // Right programs may have another number there (reference/torch/exact/inner_rounding.hpp).
  bool is_uncertain = false;
};

// Sizes of the roundings of a run; 0: none.
struct FlowRounding {
  double operands = 0, values = 0;
  double decay_steps = 0;  // ExactEffort::decay_steps
};

// Observer of the operators of one run. Matrix units take operands of 16 bits: an operand of a
// product has been rounded to them in an honest program, unless it is an input, which the program
// has unrounded.
class ValueFlow {
 public:
  // Moves every computed operand of a product from now on by a random part of itself, uniform in
  // (-operands, operands), and every operator's result by a random part in (-values, values): the
  // effect of rounding them. Other runs, other numbers.
  void round(const FlowRounding& sizes, std::uint64_t run);

  // Called around an operator: the stack ends with its arguments; and then its results.
  void before(const c10::OperatorHandle& op, torch::jit::Stack& stack);
  void after(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
             torch::jit::Stack& stack, bool makes_codes);

  ValueHistory of(const at::Tensor& tensor) const;

 private:
  ValueHistory of(const c10::IValue& value) const;
  ValueHistory history_after(std::string_view name, const std::vector<c10::IValue>& given,
                             bool rounds, bool makes_codes) const;
  void note(const at::Tensor& tensor, const ValueHistory& history);
  void note(const c10::IValue& value, const ValueHistory& history);
  void note_result(const c10::IValue& value, ValueHistory history, bool is_uncertain);
  at::Tensor moved(const at::Tensor& tensor, double size);
  void round_result(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
                    c10::IValue& value);

  struct Entry {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // keeps another one from its place
    ValueHistory history;
  };
  std::map<const c10::StorageImpl*, Entry> known_;  // views share a storage
  bool all_uncertain_ = false;  // an uncertain number was read, with unknown consequences
  FlowRounding sizes_;
  at::Generator random_;
};

}  // namespace kbench
