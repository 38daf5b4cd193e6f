// SPDX-License-Identifier: Apache-2.0
// Checks of a kernel's contract that give it tensors of other shapes, or in shared memory. "Right"
// are the kernel's results for tensors of shapes that it knows.
#ifndef KBENCH_CONTRACT_SHAPES_H_
#define KBENCH_CONTRACT_SHAPES_H_

#include "kbench_own_call.h"

namespace kbench::kernels {

// Returns "input self", "output out".
inline std::string text_of(const Tensors& tensors, size_t i) {
  return std::string(i < tensors.inputs ? "input " : "output ") + tensors.names[i];
}

// Returns "(4, 8)".
template <typename T>
std::string list_text(const T* values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return "(" + text + ")";
}
inline std::string sizes_text(const TensorImpl& impl) { return list_text(impl.sizes, impl.dim); }

// Gives `impl` other sizes, with as many elements, along two dimensions that stay longer than 1:
// (4, 8) becomes (8, 4), and (4, 4) becomes (2, 8). False where there are none.
inline bool trade_sizes(TensorImpl& impl, int a, int b) {
  SizesType& one = impl.sizes[a];
  SizesType& other = impl.sizes[b];
  if (one <= 1 || other <= 1) return false;
  if (one != other) return std::swap(one, other), true;
  if (one % 2 != 0 || one == 2) return false;
  one /= 2;
  other *= 2;
  return true;
}

inline TensorImpl larger(TensorImpl impl) {
  for (int d = 0; d < impl.dim; ++d) ++impl.sizes[d];
  if (impl.dim > 0) return impl;
  impl.dim = 1;
  impl.sizes[0] = 2;
  return impl;
}

// Tells whether another input has the same axis, so that both must have as many indices there.
inline bool is_shared(const Tensors& tensors, size_t input, int dim) {
  const int8_t axis = tensors.axes[input][dim];
  for (size_t i = 0; i < tensors.inputs; ++i) {
    for (int d = 0; d < tensors.all[i].dim; ++d) {
      if (i != input && tensors.axes[i][d] == axis) return tensors.all[input].sizes[dim] > 1;
    }
  }
  return false;
}

// C6: every axis that may have any length has none at all.
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
      if (tensors.is_free[axis]) try_without(op, tensors, kernel, axis);
    }
    PlainCall::run(op, tensors, kernel);
  }

 private:
  template <typename Kernel>
  static void try_without(const char* op, Tensors tensors, const Kernel& kernel, int axis) {
    OwnCall call(op, tensors);
    for (size_t i = 0; i < tensors.count; ++i) {
      TensorImpl empty = tensors.all[i];
      for (int d = 0; d < empty.dim; ++d) {
        if (tensors.axes[i][d] == axis) empty.sizes[d] = 0;
      }
      call.replace(i, empty);
    }
    if (call.call(kernel, "an axis has no elements") != Error::Ok)
      refuse("%s refuses tensors in which an axis has no elements", op);
  }
};

// C11: an input of the wrong sizes is an error of the context, no abort and nothing thrown: sizes
// other than the outputs'; or than other inputs', where the outputs may have any. If these grow
// with the input, the sizes were none that must agree.
class ErrorCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    PlainCall::run(op, tensors, kernel);
    for (size_t i = 0; i < tensors.inputs; ++i) {
      for (int d = 0; d < tensors.all[i].dim; ++d) {
        TensorImpl longer = tensors.all[i];
        ++longer.sizes[d];
        try_sizes(op, tensors, kernel, i, longer);
        for (int e = 0; e < d; ++e) {
          TensorImpl traded = tensors.all[i];
          if (trade_sizes(traded, e, d)) try_sizes(op, tensors, kernel, i, traded);
        }
      }
    }
  }

 private:
  template <typename Kernel>
  static void try_sizes(const char* op, Tensors tensors, const Kernel& kernel, size_t i,
                        const TensorImpl& wrong) {
    OwnCall call(op, tensors);
    call.replace(i, wrong);
    bool must_agree = false;
    for (int d = 0; d < wrong.dim; ++d) {
      const bool is_other = wrong.sizes[d] != tensors.all[i].sizes[d];
      must_agree = must_agree || (is_other && is_shared(tensors, i, d));
    }
    for (size_t o = tensors.inputs; o < tensors.count && must_agree; ++o)
      call.make_resizable(o, 4 * OwnTensor(larger(tensors.all[o])).nbytes());
    const std::string what = text_of(tensors, i) + " has sizes " + sizes_text(wrong);
    const bool is_taken = call.call(kernel, what) == Error::Ok;
    if (is_taken && must_agree && !has_grown(call, tensors))
      refuse("%s takes %s, which do not go with those of the others: %s do", op,
             (text_of(tensors, i) + " of sizes " + sizes_text(wrong)).c_str(),
             sizes_text(tensors.all[i]).c_str());
  }

  static bool has_grown(const OwnCall& call, const Tensors& tensors) {
    bool has = false;
    for (size_t o = tensors.inputs; o < tensors.count; ++o) {
      TensorImpl part = call[o];
      has = has || !same_sizes(part, tensors.all[o]);
      if (part.dim == tensors.all[o].dim) {
        for (int d = 0; d < part.dim; ++d)
          part.sizes[d] = std::min(part.sizes[d], tensors.all[o].sizes[d]);
      }
      if (!are_close(part, tensors.all[o])) return false;
    }
    return has;
  }
};

struct Dimension {
  size_t tensor;
  int dim;
};

// An input that is smaller by broadcasting is refused, or taken for what it stands for.
template <typename Kernel>
void try_broadcast(const char* op, Tensors tensors, const Kernel& kernel, Dimension along,
                   const TensorImpl& small) {
  const std::string what =
      text_of(tensors, along.tensor) + " of sizes " + sizes_text(small) + " is to be broadcast";
  OwnCall call(op, tensors);
  call.replace(along.tensor, small);
  call.fill(along.tensor, small);
  OwnCall full(op, tensors);
  TensorImpl repeated = tensors.all[along.tensor];
  repeated.strides[along.dim] = 0;
  full.fill(along.tensor, repeated);
  for (size_t o = tensors.inputs; o < tensors.count; ++o) call.make_resizable(o);
  if (call.call(kernel, what) == Error::Ok &&
      full.call(kernel, "an input repeats itself") == Error::Ok)
    call.expect_outputs(full.impls().data(), what);
}

// C6: one element in the place of an axis that other inputs have, too.
class BroadcastCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = 0; i < tensors.inputs; ++i) {
      for (int d = 0; d < tensors.all[i].dim; ++d) {
        if (!is_shared(tensors, i, d)) continue;
        TensorImpl one = tensors.all[i];
        one.sizes[d] = 1;
        try_broadcast(op, tensors, kernel, {i, d}, one);
      }
    }
    PlainCall::run(op, tensors, kernel);
  }
};

// C6: an input without the first axis, which others have; tensors without any.
class RankCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = 0; i < tensors.inputs; ++i) {
      if (tensors.all[i].dim > 0 && is_shared(tensors, i, 0))
        try_broadcast(op, tensors, kernel, {i, 0}, without_dim(tensors.all[i], 0));
    }
    if (all_have_the_same_axes(tensors)) try_no_axes(op, tensors, kernel);
    PlainCall::run(op, tensors, kernel);
  }

 private:
  static bool all_have_the_same_axes(const Tensors& tensors) {
    for (size_t i = 0; i < tensors.count; ++i) {
      if (tensors.all[i].dim != tensors.all[0].dim || tensors.all[i].numel() == 0 ||
          !std::equal(tensors.axes[0], tensors.axes[0] + tensors.all[0].dim, tensors.axes[i]))
        return false;
    }
    return true;
  }

  // Compares with tensors that have one element along each axis.
  template <typename Kernel>
  static void try_no_axes(const char* op, Tensors tensors, const Kernel& kernel) {
    const std::string what = "the tensors have no dimensions";
    OwnCall none(op, tensors);
    OwnCall ones(op, tensors);
    for (size_t i = 0; i < tensors.count; ++i) {
      TensorImpl scalar = tensors.all[i];
      scalar.dim = 0;
      std::fill_n(scalar.sizes, kMaxDims, 0);
      none.replace(i, scalar);
      TensorImpl one = tensors.all[i];
      std::fill_n(one.sizes, one.dim, 1);
      ones.replace(i, one);
      if (i < tensors.inputs) none.fill(i, scalar);
    }
    if (none.call(kernel, what) == Error::Ok &&
        ones.call(kernel, "each axis has one element") == Error::Ok)
      none.expect_outputs(ones.impls().data(), what);
  }
};

// C9: an output in the memory of an input is refused, or has the same values as elsewhere; inputs
// in one memory are inputs as any others.
class SharedCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    for (size_t i = 0; i < tensors.inputs; ++i) {
      for (size_t j = i + 1; j < tensors.count; ++j) {
        if (tensors.all[i].type == tensors.all[j].type &&
            same_sizes(tensors.all[i], tensors.all[j]))
          try_shared(op, tensors, kernel, j, i);
      }
    }
    PlainCall::run(op, tensors, kernel);
  }

 private:
  template <typename Kernel>
  static void try_shared(const char* op, Tensors tensors, const Kernel& kernel, size_t tensor,
                         size_t input) {
    const std::string what =
        text_of(tensors, tensor) + " lies in the memory of " + text_of(tensors, input);
    OwnCall apart(op, tensors);
    if (tensor < tensors.inputs) apart.fill(tensor, tensors.all[input]);
    OwnCall call(op, tensors);
    call.share(tensor, input);
    if (call.call(kernel, what) == Error::Ok &&
        apart.call(kernel, "its tensors lie apart") == Error::Ok)
      call.expect_outputs(apart.impls().data(), what);
  }
};

}  // namespace kbench::kernels

#endif  // KBENCH_CONTRACT_SHAPES_H_
