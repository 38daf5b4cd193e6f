// SPDX-License-Identifier: Apache-2.0
// What "kbench kernels test" does to a kernel beside calling it: each class here is one check of
// its contract. It calls the kernel with other tensors first, ends the call where that breaks the
// contract, and leaves the outputs as the Definition wants them, so that the judge has its say.
// Source of the checks: ExecuTorch, kernels/README.md and kernels/test.
#ifndef KBENCH_CONTRACT_H_
#define KBENCH_CONTRACT_H_

#include <algorithm>
#include <string>
#include <thread>
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
    KernelRuntimeContext context;
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

inline bool same_bytes(const TensorImpl& a, const TensorImpl& b) {
  const size_t bytes = static_cast<size_t>(a.numel()) * element_size(a.type);
  return a.numel() == b.numel() && std::memcmp(a.data, b.data, bytes) == 0;
}

// C10: the same inputs give the same bytes, once more and from two threads.
class RepeatCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    PlainCall::run(op, tensors, kernel);
    OwnCall calls[] = {{op, tensors}, {op, tensors}, {op, tensors}};
    for (OwnCall& call : calls) call.fill_inputs();
    Error errors[3] = {};
    errors[0] = calls[0].call(kernel, "it is called again");
    std::string said[2];
    const auto in_thread = [&](size_t i) {
      try {
        errors[i] = calls[i].call(kernel, "two threads call it");
      } catch (const kbench::Error& error) {
        said[i - 1] = error.message;
      }
    };
    std::thread other(in_thread, size_t{1});
    in_thread(2);
    other.join();
    for (const std::string& text : said) {
      if (!text.empty()) refuse("%s", text.c_str());
    }
    for (size_t c = 0; c < std::size(calls); ++c) {
      for (size_t i = tensors.inputs; i < tensors.count; ++i) {
        if (errors[c] != Error::Ok || !same_bytes(calls[c][i], tensors.all[i]))
          refuse("%s: %s gives another result", op,
                 c == 0 ? "the same call again" : "a call beside another thread's");
      }
    }
  }
};

// Dimensions from the outermost to the innermost: turned around; channels last, of four; as before.
enum class Order { reversed, channels_last, unchanged };

inline TensorImpl in_order_of(TensorImpl impl, Order order) {
  for (int i = 0; i < impl.dim; ++i)
    impl.dim_order[i] = static_cast<DimOrderType>(order == Order::reversed ? impl.dim - 1 - i : i);
  if (order == Order::channels_last && impl.dim == 4) {
    const DimOrderType channels_last[] = {0, 2, 3, 1};
    std::copy_n(channels_last, 4, impl.dim_order);
  }
  return impl;
}

// C7: tensors in another dim order are taken as what they are, or refused.
template <Order inputs, Order outputs>
class OrderCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    OwnCall call(op, tensors);
    for (size_t i = 0; i < tensors.count; ++i)
      call.replace(i, in_order_of(tensors.all[i], i < tensors.inputs ? inputs : outputs));
    call.fill_inputs();
    if (call.call(kernel, "the dim order is another") == Error::Ok) return call.give_outputs();
    PlainCall::run(op, tensors, kernel);
  }
};

using ReversedCall = OrderCall<Order::reversed, Order::reversed>;
using ChannelsLastCall = OrderCall<Order::channels_last, Order::channels_last>;
using MixedCall = OrderCall<Order::reversed, Order::unchanged>;

// C8: an output that has room is given the sizes it needs; one of wrong sizes, or too little room,
// is refused.
class OutputCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = tensors.inputs; i < tensors.count; ++i) {
      refuse_wrong(op, tensors, kernel, i, false);
      if (tensors.all[i].numel() > 0) refuse_wrong(op, tensors, kernel, i, true);
    }
    OwnCall call(op, tensors);
    for (size_t i = tensors.inputs; i < tensors.count; ++i) {
      const TensorImpl large = larger(tensors.all[i]);
      call.replace(i, large);
      call[i].is_resizable = true;
    }
    call.fill_inputs();
    if (call.call(kernel, "an output may be resized") != Error::Ok)
      refuse("%s refuses an output that has more room than it needs", op);
    for (size_t i = tensors.inputs; i < tensors.count; ++i) {
      if (!same_sizes(call[i], tensors.all[i]))
        refuse("%s does not resize an output that has more room than it needs", op);
    }
    call.give_outputs();
  }

 private:
  static TensorImpl larger(TensorImpl impl) {
    for (int d = 0; d < impl.dim; ++d) ++impl.sizes[d];
    if (impl.dim > 0) return impl;
    impl.dim = 1;
    impl.sizes[0] = 2;
    return impl;
  }

  static bool same_sizes(const TensorImpl& a, const TensorImpl& b) {
    return a.dim == b.dim && std::equal(a.sizes, a.sizes + a.dim, b.sizes);
  }

  template <typename Kernel>
  static void refuse_wrong(const char* op, Tensors tensors, const Kernel& kernel, size_t i,
                           bool is_small) {
    OwnCall call(op, tensors);
    if (is_small) {  // no element, and no room for one
      TensorImpl none = tensors.all[i];
      none.dim = 1;
      none.sizes[0] = 0;
      none.dim_order[0] = 0;
      call.replace(i, none);
      call[i].is_resizable = true;
    } else {
      call.replace(i, larger(tensors.all[i]));
    }
    call.fill_inputs();
    if (call.call(kernel, "an output has the wrong sizes") == Error::Ok)
      refuse("%s takes an output %s", op, is_small ? "without room for it" : "of wrong sizes");
  }
};

// C3: a tensor of another element type is refused, or taken as what it is where no value is lost.
class TypeCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = 0; i < tensors.count; ++i) {
      for (const ScalarType type : {ScalarType::Char, ScalarType::Long, ScalarType::Double}) {
        if (type != tensors.all[i].type) try_type(op, tensors, kernel, i, type);
      }
    }
    PlainCall::run(op, tensors, kernel);
  }

 private:
  static bool is_floating(ScalarType type) {
    return type == ScalarType::Double || type == ScalarType::Float || type == ScalarType::Half ||
           type == ScalarType::BFloat16;
  }

  template <typename Kernel>
  static void try_type(const char* op, Tensors tensors, const Kernel& kernel, size_t i,
                       ScalarType type) {
    OwnCall call(op, tensors);
    TensorImpl other = tensors.all[i];
    other.type = type;
    call.replace(i, other);
    call.fill_inputs();
    const bool is_output = i >= tensors.inputs;
    const bool loses = is_floating(tensors.all[i].type) && !is_floating(type);
    const Error error = call.call(kernel, "a tensor has another element type");
    if (error == Error::Ok && is_output && loses)
      refuse("%s writes numbers with fractions to an output of integers", op);
  }
};

// C6: of every axis that may have any length, none at all.
class EmptyCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    int most = -1;
    for (size_t i = 0; i < tensors.count; ++i) {
      for (int d = 0; d < tensors.all[i].dim; ++d)
        most = std::max(most, static_cast<int>(tensors.axes[i][d]));
    }
    for (int axis = 0; axis <= most; ++axis) {
      OwnCall call(op, tensors);
      for (size_t i = 0; i < tensors.count; ++i) {
        TensorImpl empty = tensors.all[i];
        for (int d = 0; d < empty.dim; ++d) {
          if (tensors.axes[i][d] == axis) empty.sizes[d] = 0;
        }
        call.replace(i, empty);
      }
      call.fill_inputs();
      if (call.call(kernel, "an axis has no elements") != Error::Ok)
        refuse("%s refuses tensors in which an axis has no elements", op);
    }
    PlainCall::run(op, tensors, kernel);
  }
};

// C11: an input of the wrong sizes is an error of the context, no abort and nothing thrown; or it
// is right after all.
class ErrorCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = 0; i < tensors.inputs; ++i) {
      for (int d = 0; d < tensors.all[i].dim; ++d) {
        OwnCall call(op, tensors);
        TensorImpl longer = tensors.all[i];
        ++longer.sizes[d];
        call.replace(i, longer);
        call.fill_inputs();
        call.call(kernel, "an input has the wrong sizes");
      }
    }
    PlainCall::run(op, tensors, kernel);
  }
};

}  // namespace kbench::kernels

#endif  // KBENCH_CONTRACT_H_
