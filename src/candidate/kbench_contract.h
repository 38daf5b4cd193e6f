// SPDX-License-Identifier: Apache-2.0
// What "kbench kernels test" does to a kernel beside calling it: each class here is one check of
// its contract. It calls the kernel with other tensors, ends the call where that breaks the
// contract, and leaves the outputs as the Definition wants them, so that the judge has its say.
// Source of the checks: ExecuTorch, kernels/README.md and kernels/test.
#ifndef KBENCH_CONTRACT_H_
#define KBENCH_CONTRACT_H_

#include "kbench_contract_shapes.h"
#include "kbench_contract_threads.h"

namespace kbench::kernels {

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
    if (call.call(kernel, "the dim order is another") == Error::Ok) return call.give_outputs();
    PlainCall::run(op, tensors, kernel);
  }
};

using ReversedCall = OrderCall<Order::reversed, Order::reversed>;
using ChannelsLastCall = OrderCall<Order::channels_last, Order::channels_last>;

// C7: tensors in unlike dim orders: each input alone, the outputs alone, all inputs.
class MixedCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    PlainCall::run(op, tensors, kernel);
    for (size_t turned = 0; turned <= tensors.inputs; ++turned) {
      OwnCall call(op, tensors);
      for (size_t i = 0; i < tensors.count; ++i) {
        if (std::min(i, tensors.inputs) == turned)
          call.replace(i, in_order_of(tensors.all[i], Order::reversed));
      }
      const std::string what = turned < tensors.inputs
                                   ? text_of(turned) + " alone lies in another dim order"
                                   : "the outputs alone lie in another dim order";
      if (call.call(kernel, what) == Error::Ok) call.expect_outputs(tensors.all, what);
    }
    OrderCall<Order::reversed, Order::unchanged>::run(op, tensors, kernel);
  }
};

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
      call.replace(i, larger(tensors.all[i]));
      call[i].is_resizable = true;
    }
    if (call.call(kernel, "an output may be resized") != Error::Ok)
      refuse("%s refuses an output that has more room than it needs", op);
    for (size_t i = tensors.inputs; i < tensors.count; ++i) {
      if (!same_sizes(call[i], tensors.all[i]))
        refuse("%s does not resize an output that has more room than it needs", op);
    }
    call.give_outputs();
  }

 private:
  // No element, and no room for one.
  static TensorImpl empty(TensorImpl impl) {
    if (impl.dim == 0) impl.dim = 1;
    std::fill_n(impl.sizes, impl.dim, 0);
    return impl;
  }

  template <typename Kernel>
  static void refuse_wrong(const char* op, Tensors tensors, const Kernel& kernel, size_t i,
                           bool is_small) {
    OwnCall call(op, tensors);
    call.replace(i, is_small ? empty(tensors.all[i]) : larger(tensors.all[i]));
    call[i].is_resizable = is_small;
    if (call.call(kernel, "an output has the wrong sizes") == Error::Ok)
      refuse("%s takes an output %s", op, is_small ? "without room for it" : "of wrong sizes");
  }
};

// C3: a tensor of another element type is refused, or taken as what it is.
class TypeCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = 0; i < tensors.count; ++i) {
      for (const ScalarType type : types) {
        if (type != tensors.all[i].type) try_type(op, tensors, kernel, i, type);
      }
    }
    PlainCall::run(op, tensors, kernel);
  }

 private:
  // Of each width one of numbers with fractions and one of integers.
  static constexpr ScalarType types[] = {ScalarType::Bool,  ScalarType::Char,     ScalarType::Half,
                                         ScalarType::Short, ScalarType::BFloat16, ScalarType::Float,
                                         ScalarType::Int,   ScalarType::Double,   ScalarType::Long};

  // The values that the other type has of an input's are given in the usual type, too.
  template <typename Kernel>
  static void try_type(const char* op, Tensors tensors, const Kernel& kernel, size_t i,
                       ScalarType type) {
    OwnCall call(op, tensors);
    TensorImpl other = tensors.all[i];
    other.type = type;
    call.replace(i, other);
    const std::string what = text_of(i, tensors.inputs) + " has another element type";
    if (call.call(kernel, what) != Error::Ok) return;
    const bool is_output = i >= tensors.inputs;
    if (is_output && is_floating(tensors.all[i].type) && !is_floating(type))
      refuse("%s writes numbers with fractions to an output of integers", op);
    OwnCall usual(op, tensors);
    if (!is_output) usual.fill(i, call[i]);
    if (usual.call(kernel, "an input has such values") == Error::Ok)
      call.expect_outputs(usual.impls().data(), what);
  }
};

}  // namespace kbench::kernels

#endif  // KBENCH_CONTRACT_H_
