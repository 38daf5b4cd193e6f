// Arithmetic operations of a call, and the bytes of its inputs that it reads, for rooflines: of a
// cache with a million pages it may look at ten.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <map>
#include <vector>

#include "reference/torch/exact/input_watch.hpp"
#include "reference/torch/exact/operator_watch.hpp"

namespace kbench {

// Observer of operators as they run, not of those that they are made of. An operator reads all that
// it takes of an input, but for a view, which reads nothing, and an index, which reads what it
// picks. A copy is read where it is used. Masked elements, or ones times zero, are not left out.
class ReadCount {
 public:
  explicit ReadCount(const std::vector<c10::IValue>& inputs);

  void add(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
           c10::ArrayRef<c10::IValue> results);
  // Takes a tensor, or a list or tuple of them, that the reference returns.
  void read(const c10::IValue& value);

  double bytes() const;

 private:
  struct Input {
    at::Tensor was_read;  // one bool an element
    std::int64_t element_bytes;
  };
  // Input behind a storage: its element e is element e + shift of the input.
  struct Source {
    std::size_t input;
    std::int64_t shift;
    std::size_t element_bytes;  // size in the storage: a copy may be of another dtype
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;  // keeps its address from another one
  };
  using Given = std::vector<c10::IValue>;

  const Source* source_of(const at::Tensor& tensor) const;
  // Follows a copy that is laid out as its original, and tells whether it is.
  bool follow(const at::Tensor& from, const at::Tensor& copy);
  bool read_first(const c10::OperatorHandle& op, const Given& given,
                  c10::ArrayRef<c10::IValue> results);
  void read_tensor(const at::Tensor& tensor);
  void read_picked(const c10::OperatorHandle& op, const Given& given);

  std::vector<Input> inputs_;
  std::map<const c10::StorageImpl*, Source> sources_;
};

// Counter of the operators that go through it. A product of matrices, contraction, convolution or
// attention of m×n results over k terms counts 2·m·n·k; element-wise operators and reductions count
// one for each element of their result or their first argument. Moving, converting, filling and
// indexing count nothing. Operators that are made of others count as their parts do; attention
// counts all its products, masked ones too.
class WorkCount : public OperatorWatch {
 public:
  explicit WorkCount(const std::vector<c10::IValue>& inputs) : reads_(inputs), uses_(inputs) {}

  double flops() const { return flops_; }
  // Counts what the call has returned as read where it is an input's.
  double bytes_read(const c10::IValue& returned);
  const InputWatch& uses() const { return uses_; }

  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;

 private:
  double flops_ = 0;
  ReadCount reads_;
  InputWatch uses_;
};

}  // namespace kbench
