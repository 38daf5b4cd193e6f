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

#include "kbench_own_call.h"

namespace kbench::kernels {

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

// C3, where a table says which element types are allowed. It is given as numbers: of each
// alternative, of each of `count` arguments, which tensor it is, its alias, and the types that this
// may be, a bit each; all tensors of one alias have one type. What is allowed is taken, and all
// else refused. Of calls with more than four tensors two types at a time are tried.
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
  // Those that ExecuTorch has everywhere: Byte to Long, Half, Float, Double, Bool, BFloat16,
  // UInt16.
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

  // A tensor that is two arguments has one type.
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
    call.fill_inputs();
    const std::string shown = text_of(types);
    const bool is_taken = call.call(kernel, ("its tensors are " + shown).c_str()) == Error::Ok;
    if (is_taken == is_allowed(types)) return;
    refuse(is_taken ? "%s takes %s, which the constraints do not allow"
                    : "%s refuses %s, which the constraints allow",
           op, shown.c_str());
  }

  static std::string text_of(const ScalarType (&types)[count]) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::string(name_of(types[i]));
    return text;
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
