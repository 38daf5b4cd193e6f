// SPDX-License-Identifier: Apache-2.0
// Checks of "kbench kernels test" on a kernel beside calling it: each class here is one check of
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

// C7: tensors in another dim order are taken for what they are, or refused.
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

// C7: tensors in unlike dim orders: each input alone, the outputs alone, all inputs; turned around,
// and with the channels last.
class MixedCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    PlainCall::run(op, tensors, kernel);
    for (size_t turned = 0; turned <= tensors.inputs; ++turned) {
      try_one(op, tensors, kernel, turned, Order::reversed);
      if (tensors.all[turned].dim == 4) try_one(op, tensors, kernel, turned, Order::channels_last);
    }
    OrderCall<Order::reversed, Order::unchanged>::run(op, tensors, kernel);
  }

 private:
  template <typename Kernel>
  static void try_one(const char* op, Tensors tensors, const Kernel& kernel, size_t turned,
                      Order order) {
    OwnCall call(op, tensors);
    for (size_t i = 0; i < tensors.count; ++i) {
      if (std::min(i, tensors.inputs) == turned)
        call.replace(i, in_order_of(tensors.all[i], order));
    }
    const TensorImpl& one = call[turned];
    const std::string lying = " in dim order " + list_text(one.dim_order, one.dim);
    const std::string what = turned < tensors.inputs
                                 ? text_of(tensors, turned) + " alone lies" + lying
                                 : "the outputs alone lie" + lying;
    if (call.call(kernel, what) == Error::Ok) call.expect_outputs(tensors.all, what);
  }
};

// C8: an output that has room gets the sizes it needs; one of wrong sizes, as many elements or not,
// or of too little room, is refused.
class OutputCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = tensors.inputs; i < tensors.count; ++i) {
      refuse_wrong(op, tensors, kernel, i, larger(tensors.all[i]));
      refuse_as_many(op, tensors, kernel, i);
      if (tensors.all[i].numel() > 0) refuse_wrong(op, tensors, kernel, i, empty(tensors.all[i]));
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
  // Returns one with no element, and no room for one.
  static TensorImpl empty(TensorImpl impl) {
    if (impl.dim == 0) impl.dim = 1;
    std::fill_n(impl.sizes, impl.dim, 0);
    impl.is_resizable = true;
    return impl;
  }

  template <typename Kernel>
  static void refuse_as_many(const char* op, Tensors tensors, const Kernel& kernel, size_t i) {
    for (int d = 0; d < tensors.all[i].dim; ++d) {
      for (int e = 0; e < d; ++e) {
        TensorImpl traded = tensors.all[i];
        if (trade_sizes(traded, e, d)) refuse_wrong(op, tensors, kernel, i, traded);
      }
    }
  }

  // Resizable outputs have no room for that.
  template <typename Kernel>
  static void refuse_wrong(const char* op, Tensors tensors, const Kernel& kernel, size_t i,
                           const TensorImpl& wrong) {
    OwnCall call(op, tensors);
    call.replace(i, wrong);
    call[i].is_resizable = wrong.is_resizable;
    const std::string output = text_of(tensors, i);
    if (call.call(kernel, output + " has sizes " + sizes_text(wrong)) != Error::Ok) return;
    const std::string right = sizes_text(tensors.all[i]);
    refuse(
        wrong.is_resizable ? "%s takes %s without room for %s" : "%s takes %s, where %s are right",
        op, (output + " of sizes " + sizes_text(wrong)).c_str(), right.c_str());
  }
};

// C3: a tensor of another element type is refused, or taken for its type.
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
  // Types of each width: one of numbers with fractions and one of integers.
  static constexpr ScalarType types[] = {ScalarType::Bool,  ScalarType::Char,     ScalarType::Half,
                                         ScalarType::Short, ScalarType::BFloat16, ScalarType::Float,
                                         ScalarType::Int,   ScalarType::Double,   ScalarType::Long};

  // Values of an input that the other type has are given in the usual type, too.
  template <typename Kernel>
  static void try_type(const char* op, Tensors tensors, const Kernel& kernel, size_t i,
                       ScalarType type) {
    OwnCall call(op, tensors);
    TensorImpl other = tensors.all[i];
    other.type = type;
    call.replace(i, other);
    const std::string what = text_of(tensors, i) + " has dtype " + name_of(type);
    if (call.call(kernel, what) != Error::Ok) return;
    const bool is_output = i >= tensors.inputs;
    if (is_output && is_floating(tensors.all[i].type) && !is_floating(type))
      refuse("%s writes numbers with fractions where %s", op, what.c_str());
    OwnCall usual(op, tensors);
    if (!is_output) usual.fill(i, call[i]);
    if (usual.call(kernel, "an input has such values") == Error::Ok)
      call.expect_outputs(usual.impls().data(), what);
  }
};

// C3, where a table says which element types are allowed. It is given as numbers: of each
// alternative, of each of `count` arguments, which tensor it is, its alias, and the types that this
// may be, a bit each; all tensors of one alias have one type. Allowed ones are taken, and all
// others refused. Calls with more than four tensors are tried with two types at a time.
template <size_t count, uint64_t... numbers>
class TypeTableCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    ScalarType types[count] = {};
    each_choice(0, types, [&] { try_types(op, tensors, kernel, types); });
    PlainCall::run(op, tensors, kernel);
  }

 private:
  static constexpr uint64_t rows[] = {numbers...};
  static constexpr size_t row_size = 3 * count;
  static constexpr size_t most_types = count > 4 ? 2 : count;
  // ExecuTorch has these everywhere: Byte to Long, Half, Float, Double, Bool, BFloat16, UInt16.
  static constexpr uint64_t usual = 0x80088ff;

  static uint64_t tried() {
    uint64_t types = usual;
    for (size_t i = 2; i < std::size(rows); i += 3) types |= rows[i];
    return types;
  }

  template <typename Each>
  static void each_choice(size_t i, ScalarType (&types)[count], const Each& each) {
    if (i == count) return each();
    for (int type = 0; type < 64; ++type) {
      types[i] = static_cast<ScalarType>(type);
      const bool is_tried = (tried() >> type & 1) != 0 && element_size(types[i]) > 0;
      if (is_tried && different(types, i + 1) <= most_types) each_choice(i + 1, types, each);
    }
  }

  static size_t different(const ScalarType (&types)[count], size_t size) {
    size_t number = 0;
    for (size_t i = 0; i < size; ++i) number += std::find(types, types + i, types[i]) == types + i;
    return number;
  }

  // Tensors that are two arguments have one type.
  static bool is_possible(const ScalarType (&types)[count]) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (rows[3 * i] == rows[3 * j] && types[i] != types[j]) return false;
      }
    }
    return true;
  }

  static bool allows(const uint64_t* row, const ScalarType (&types)[count]) {
    for (size_t i = 0; i < count; ++i) {
      if ((row[3 * i + 2] >> static_cast<int>(types[i]) & 1) == 0) return false;
      for (size_t j = 0; j < i; ++j) {
        if (row[3 * i + 1] == row[3 * j + 1] && types[i] != types[j]) return false;
      }
    }
    return true;
  }

  static bool is_allowed(const ScalarType (&types)[count]) {
    for (size_t row = 0; row < std::size(rows); row += row_size) {
      if (allows(rows + row, types)) return true;
    }
    return false;
  }

  template <typename Kernel>
  static void try_types(const char* op, Tensors tensors, const Kernel& kernel,
                        const ScalarType (&types)[count]) {
    if (!is_possible(types)) return;
    OwnCall call(op, tensors);
    for (size_t i = 0; i < count; ++i) {
      const size_t tensor = rows[3 * i];
      TensorImpl other = tensors.all[tensor];
      other.type = types[i];
      call.replace(tensor, other);
    }
    const std::string shown = types_text(tensors, types);
    const bool is_taken = call.call(kernel, "its dtypes are " + shown) == Error::Ok;
    if (is_taken == is_allowed(types)) return;
    refuse(is_taken ? "%s takes %s, which the constraints do not allow"
                    : "%s refuses %s, which the constraints allow",
           op, shown.c_str());
  }

  // Returns "self Float, out Half".
  static std::string types_text(const Tensors& tensors, const ScalarType (&types)[count]) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text +=
          (i > 0 ? ", " : "") + std::string(tensors.names[rows[3 * i]]) + " " + name_of(types[i]);
    return text;
  }
};

}  // namespace kbench::kernels

#endif  // KBENCH_CONTRACT_H_
