// Uses that a call makes of its inputs: which of them are indices, of how many, constants that they
// are compared with, forms that an operator needs. Also tells whether its answer follows from its
// inputs alone.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Storage.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/seen_use.hpp"
#include "reference/torch/exact/operator_watch.hpp"

namespace kbench {

// Observer of operators as they run. It follows an input's elements through views, copies and
// picks; numbers that are calculated of them are others.
class InputWatch {
 public:
  explicit InputWatch(const std::vector<c10::IValue>& inputs);

  // Notes what the operator does; `results` follow in its schema's order.
  void before(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given);
  void after(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
             c10::ArrayRef<c10::IValue> results);

  // One for each of the inputs, in order.
  const std::vector<SeenUse>& uses() const { return uses_; }
  // Tells whether an integer came out as another number than double precision has.
  bool wraps() const { return wraps_; }
  // Operator whose result is random, or memory that nobody has written: "empty_like"; "": none.
  const std::string& unsteady() const { return unsteady_; }
  // Tells whether it draws by weights, which a rule of its own judges.
  bool draws() const { return draws_; }

 private:
  using Given = std::vector<c10::IValue>;
  struct Source {
    std::size_t input;
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // keeps its address from another one
  };

  SeenUse* use_of(const c10::IValue& value);
  std::optional<std::size_t> source_of(const c10::IValue& value) const;
  void note_index(const c10::IValue& index, std::int64_t length);
  void note_indices(const Given& given);
  void note_index_arguments(std::string_view name, const Given& given);
  void note_targets(const Given& given);
  void note_divisor(const Given& given);
  void note_comparison(const Given& given);
  void note_matrix(std::string_view name, const Given& given);
  void follow(std::string_view name, const Given& given, const c10::IValue& result);

  std::map<const c10::StorageImpl*, Source> sources_;
  std::vector<SeenUse> uses_;
  std::optional<at::Tensor> expected_;  // the operator at hand, in double precision
  std::string unsteady_;
  bool wraps_ = false, draws_ = false;
};

// Fills memory that nobody has written, such as that of torch.empty, with one byte.
class UnwrittenFill : public OperatorWatch {
 public:
  explicit UnwrittenFill(unsigned char byte) : byte_(byte) {}
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;

 private:
  unsigned char byte_;
};

}  // namespace kbench
