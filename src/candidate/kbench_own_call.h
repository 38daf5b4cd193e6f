// SPDX-License-Identifier: Apache-2.0
// A call of a kernel with other tensors than the judge's, which the checks of its contract make.
#ifndef KBENCH_OWN_CALL_H_
#define KBENCH_OWN_CALL_H_

#include <algorithm>
#include <vector>

#include "kbench_call.h"
#include "kbench_layout.h"

namespace kbench::kernels {

// A tensor in memory of its own, with bytes around it that nobody may write.
class OwnTensor {
 public:
  static constexpr size_t guard = 64;
  static constexpr unsigned char guard_byte = 0xc5;
  static constexpr unsigned char poison_byte = 0xa5;

  // Of the shape and type of `like`, dense, with room for `capacity` bytes at least.
  explicit OwnTensor(const TensorImpl& like, size_t capacity = 0) : impl(like) {
    impl.set_dense_strides();
    const size_t bytes = std::max(capacity, nbytes());
    memory_.assign(bytes + 2 * guard, poison_byte);
    std::fill_n(memory_.begin(), guard, guard_byte);
    std::fill_n(memory_.end() - guard, guard, guard_byte);
    impl.data = memory_.data() + guard;
    impl.capacity = bytes;
    impl.is_resizable = false;
    impl.grow = nullptr;
  }

  // A copy would have the memory of the original.
  OwnTensor(OwnTensor&&) = default;
  OwnTensor& operator=(OwnTensor&&) = default;

  size_t nbytes() const { return static_cast<size_t>(impl.numel()) * element_size(impl.type); }
  bool is_intact() const {
    const auto is_guard = [](unsigned char byte) { return byte == guard_byte; };
    return std::all_of(memory_.begin(), memory_.begin() + guard, is_guard) &&
           std::all_of(memory_.end() - guard, memory_.end(), is_guard);
  }

  TensorImpl impl;

 private:
  std::vector<unsigned char> memory_;
};

// The tensors of one call in memory of their own.
class OwnCall {
 public:
  OwnCall(const char* op, const Tensors& given) : op_(op), given_(given) {
    for (size_t i = 0; i < given.count; ++i) tensors_.emplace_back(given.all[i]);
  }

  TensorImpl& operator[](size_t i) { return tensors_[i].impl; }
  // Another shape, order or type of tensor `i`; `capacity` bytes at least.
  void replace(size_t i, const TensorImpl& like, size_t capacity = 0) {
    tensors_[i] = OwnTensor(like, capacity);
  }
  // Inputs have the given values, as far as these reach; what lies beyond is 0.
  void fill_inputs() {
    for (size_t i = 0; i < given_.inputs; ++i) {
      std::memset(tensors_[i].impl.data, 0, tensors_[i].nbytes());
      if (tensors_[i].impl.type == given_.all[i].type && tensors_[i].impl.dim == given_.all[i].dim)
        copy_common(given_.all[i], tensors_[i].impl);
    }
  }

  // What the kernel reports. It ends the call with `what` where bytes around a tensor were written,
  // or anything was thrown.
  template <typename Kernel>
  Error call(const Kernel& kernel, const char* what) {
    std::vector<TensorImpl> all;
    for (const OwnTensor& one : tensors_) all.push_back(one.impl);
    KernelRuntimeContext context(Scratch::heap);
    try {
      kernel(context, all.data());
    } catch (...) {
      refuse("%s throws where %s", op_, what);
    }
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (!tensors_[i].is_intact()) refuse("%s writes beyond its tensors where %s", op_, what);
      tensors_[i].impl = all[i];
    }
    return context.failure_state();
  }

  // The outputs become those of the call that is judged.
  void give_outputs() {
    for (size_t i = given_.inputs; i < given_.count; ++i)
      copy_common(tensors_[i].impl, given_.all[i]);
  }

 private:
  const char* op_;
  const Tensors& given_;
  std::vector<OwnTensor> tensors_;
};

}  // namespace kbench::kernels

#endif  // KBENCH_OWN_CALL_H_
