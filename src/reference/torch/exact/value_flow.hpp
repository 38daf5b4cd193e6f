// What happened on the way to each tensor of a run that decides how exact it can be expected to be.
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
  // Something was rounded on the way to it that is no sum and no product of matrices of inputs.
  bool more_than_sums = false;
  // Right programs may have another number there (reference/torch/exact/inner_rounding.hpp).
  bool is_uncertain = false;
};

// Sees the operators of one run. Matrix units take operands of 16 bits: what goes into a product
// has been rounded to them in an honest program, unless it is an input, which the program has as it
// is.
class ValueFlow {
 public:
  // From now on moves every computed operand of a product by a random part of itself, uniform in
  // (-operands, operands), and what every operator calculates, by a random part in (-values,
  // values): what rounding them does. Other runs, other numbers.
  void round(double operands, double values, std::uint64_t run);

  // Around an operator: its arguments are the last ones on the stack; and then its results.
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
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // so that no other one takes its place
    ValueHistory history;
  };
  std::map<const c10::StorageImpl*, Entry> known_;  // views share a storage
  bool all_uncertain_ = false;  // an uncertain number was read, and nobody knows what follows
  double operands_ = 0, values_ = 0;
  at::Generator random_;
};

}  // namespace kbench
