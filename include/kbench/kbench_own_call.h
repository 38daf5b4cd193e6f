// SPDX-License-Identifier: Apache-2.0
// Calls of a kernel with tensors in memory of their own, beside the call that is judged.
#ifndef KBENCH_OWN_CALL_H_
#define KBENCH_OWN_CALL_H_

#include <algorithm>
#include <string>
#include <vector>

#include "kbench_values.h"

namespace kbench::kernels {

// Tensor in memory of its own, with bytes around it that nobody may write.
class OwnTensor {
 public:
  static constexpr size_t guard = 64;
  static constexpr unsigned char guard_byte = 0xc5;
  static constexpr unsigned char poison_byte = 0xa5;

  // Takes shape and type of `like`, dense, with room for `capacity` bytes at least.
  explicit OwnTensor(const TensorImpl& like, size_t capacity = 0) : impl(like) {
    impl.set_dense_strides();
    const size_t bytes = std::max(capacity, nbytes());
    const size_t widest = static_cast<size_t>(impl.numel()) * sizeof(double);
    guard_after_ = guard + (widest > bytes ? widest - bytes : 0);
    memory_.assign(guard + bytes, poison_byte);
    std::fill_n(memory_.begin(), guard, guard_byte);
    memory_.insert(memory_.end(), guard_after_, guard_byte);
    impl.data = memory_.data() + guard;
    impl.capacity = bytes;
    impl.is_resizable = false;
    impl.grow = nullptr;
  }

  // Copies would have the memory of the original.
  OwnTensor(OwnTensor&&) = default;
  OwnTensor& operator=(OwnTensor&&) = default;

  size_t nbytes() const { return static_cast<size_t>(impl.numel()) * element_size(impl.type); }
  bool is_intact() const {
    const auto is_guard = [](unsigned char byte) { return byte == guard_byte; };
    return std::all_of(memory_.begin(), memory_.begin() + guard, is_guard) &&
           std::all_of(memory_.end() - static_cast<ptrdiff_t>(guard_after_), memory_.end(),
                       is_guard);
  }
  const std::vector<unsigned char>& memory() const { return memory_; }

  TensorImpl impl;

 private:
  std::vector<unsigned char> memory_;
  size_t guard_after_ = guard;  // bytes that elements of eight bytes would reach
};

// Tensors of one call in memory of their own.
class OwnCall {
 public:
  OwnCall(const char* op, const Tensors& given) : op_(op), given_(given) {
    for (size_t i = 0; i < given.count; ++i) tensors_.emplace_back(given.all[i]);
    fill_inputs();
  }

  TensorImpl& operator[](size_t i) { return tensors_[i].impl; }
  const TensorImpl& operator[](size_t i) const { return tensors_[i].impl; }
  std::vector<TensorImpl> impls() const {
    std::vector<TensorImpl> all;
    for (const OwnTensor& one : tensors_) all.push_back(one.impl);
    return all;
  }

  // Gives tensor `i` another shape, order or type; `capacity` bytes at least. An input gets the
  // given values, as far as these reach.
  void replace(size_t i, const TensorImpl& like, size_t capacity = 0) {
    tensors_[i] = OwnTensor(like, capacity);
    if (i < given_.inputs) fill(i, given_.all[i]);
  }
  // Fills in the values of `from`, as far as these reach; the rest is 0.
  void fill(size_t i, const TensorImpl& from) {
    TensorImpl& to = tensors_[i].impl;
    std::memset(to.data, 0, tensors_[i].nbytes());
    if (to.dim == from.dim) copy_values(from, to);
  }
  // Lets output `i` have other sizes, in `capacity` bytes at least.
  void make_resizable(size_t i, size_t capacity = 0) {
    replace(i, tensors_[i].impl, capacity);
    tensors_[i].impl.is_resizable = true;
  }
  // Puts tensor `i` where input `other` lies, which may then be written if `i` is an output.
  void share(size_t i, size_t other) {
    tensors_[i].impl.data = tensors_[other].impl.data;
    tensors_[i].impl.capacity = tensors_[other].impl.capacity;
    if (i >= given_.inputs) written_ = other;
  }

  // Returns the kernel's error. Ends the call with `what` where bytes around a tensor or an input
  // were written, or anything was thrown.
  template <typename Kernel>
  Error call(const Kernel& kernel, const std::string& what) {
    std::vector<TensorImpl> all = impls();
    const auto before = input_bytes();
    KernelRuntimeContext context(Scratch::heap);
    try {
      kernel(context, all.data());
    } catch (...) {
      refuse("%s throws where %s", op_, what.c_str());
    }
    check_memory(before, what);
    for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].impl = all[i];
    return context.failure_state();
  }

  // Calls it without a look at any memory: for many calls.
  template <typename Kernel>
  Error call_again(const Kernel& kernel) {
    std::vector<TensorImpl> all = impls();
    KernelRuntimeContext context(Scratch::heap);
    kernel(context, all.data());
    return context.failure_state();
  }

  // Returns the bytes of each input; check_memory() compares them, and those around all tensors.
  std::vector<std::vector<unsigned char>> input_bytes() const {
    std::vector<std::vector<unsigned char>> bytes;
    for (size_t i = 0; i < given_.inputs; ++i) bytes.push_back(tensors_[i].memory());
    return bytes;
  }
  void check_memory(const std::vector<std::vector<unsigned char>>& before,
                    const std::string& what) const {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].is_intact())
        refuse("%s writes beyond its tensors where %s", op_, what.c_str());
      if (i < before.size() && i != written_ && tensors_[i].memory() != before[i])
        refuse("%s writes to an input where %s", op_, what.c_str());
    }
  }

  // Copies the outputs to those of the call that is judged.
  void give_outputs() const {
    for (size_t i = given_.inputs; i < given_.count; ++i)
      copy_values(tensors_[i].impl, given_.all[i]);
  }

  // Ends the call where the outputs have other values than those of `wanted`.
  void expect_outputs(const TensorImpl* wanted, const std::string& what) const {
    for (size_t i = given_.inputs; i < given_.count; ++i) {
      if (!are_close(tensors_[i].impl, wanted[i]))
        refuse("%s gives wrong values where %s; it may refuse that", op_, what.c_str());
    }
  }

 private:
  void fill_inputs() {
    for (size_t i = 0; i < given_.inputs; ++i) fill(i, given_.all[i]);
  }

  static constexpr size_t none = static_cast<size_t>(-1);

  const char* op_;
  const Tensors& given_;
  std::vector<OwnTensor> tensors_;
  size_t written_ = none;
};

// Gives another call tensors that lie as the kernel's key says.
template <class Call>
class InKeyOrder {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    OwnCall call(op, tensors);
    for (size_t i = 0; i < tensors.count; ++i) {
      TensorImpl lying = tensors.all[i];
      std::copy_n(tensors.orders[i], lying.dim, lying.dim_order);
      call.replace(i, lying);
    }
    const auto before = call.input_bytes();
    std::vector<TensorImpl> all = call.impls();
    Tensors own = tensors;
    own.all = all.data();
    Call::run(op, own, kernel);
    call.check_memory(before, "its tensors lie as its key says");
    call.give_outputs();
  }
};

}  // namespace kbench::kernels

#endif  // KBENCH_OWN_CALL_H_
