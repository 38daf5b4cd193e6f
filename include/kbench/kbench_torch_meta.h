// SPDX-License-Identifier: Apache-2.0
// Sizes that outputs of an operator get, without computing them: the RegisterMeta.cpp that "kbench
// kernels codegen --as torch" writes uses it, for torch.compile and device="meta".
#ifndef KBENCH_TORCH_META_H_
#define KBENCH_TORCH_META_H_

#include <optional>

#include "kbench_torch.h"

namespace kbench::torch_library {

// PyTorch calls the function for meta, which writes nothing, also where only some tensors are
// meta and others are on other devices.
inline void check_devices(const Call& call) {
  std::optional<c10::Device> first;
  size_t of = 0;
  call.for_each_tensor([&](size_t i, const at::Tensor& tensor) {
    if (!first) {
      first = tensor.device();
      of = i;
    } else if (tensor.device() != *first) {
      call.refuse(i, "is on " + tensor.device().str() + ", " + call.name_of(of) + " on " +
                         first->str() + ": all must be on one device");
    }
  });
}

// Outputs of a call before it. One that gets other sizes then gets the strides that resize_tensor()
// of kbench_tensor.h chooses, so that tracers see the kernels' results.
class Outputs {
 public:
  explicit Outputs(const Call& call, const c10::OperatorHandle& op) {
    call.for_each_tensor([&](size_t i, const at::Tensor& tensor) {
      const c10::Argument& argument = op.schema().arguments()[i];
      const bool is_out = argument.kwarg_only() && argument.is_out();
      if (!is_out || has_symbols(tensor) || tensor.dim() > kernels::kMaxDims) return;
      before_.push_back({tensor, {}});
      read_layout(tensor, before_.back().layout);
    });
  }

  void restride() const {
    for (const Before& one : before_) {
      const at::Tensor& now = one.tensor;
      kernels::TensorImpl impl = one.layout;
      const at::IntArrayRef before(impl.sizes, static_cast<size_t>(impl.dim));
      if (has_symbols(now) || now.sizes() == before) continue;
      impl.is_resizable = true;
      impl.capacity = ~size_t{0};
      const auto dim = static_cast<size_t>(now.dim());
      const auto error = kernels::resize_tensor(kernels::Tensor(&impl), {now.sizes().data(), dim});
      if (error == kernels::Error::Ok)
        now.as_strided_(now.sizes().vec(), at::IntArrayRef(impl.strides, dim));
    }
  }

 private:
  struct Before {
    at::Tensor tensor;
    kernels::TensorImpl layout;
  };

  static bool has_symbols(const at::Tensor& tensor) {
    return tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
  }

  std::vector<Before> before_;
};

// Infers the sizes by PyTorch's operator of the same name, which this one stands for.
inline void infer_by_aten(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const Call call(op, *stack, c10::DeviceType::Meta);
  check_devices(call);
  const Outputs outputs(call, op);
  const std::string& name = op.operator_name().name;
  const std::string aten = "aten" + name.substr(name.find("::"));
  c10::Dispatcher::singleton()
      .findSchemaOrThrow(aten.c_str(), op.operator_name().overload_name.c_str())
      .callBoxed(*stack);
  outputs.restride();
}

// Tensor of a Definition, by the argument of the operator that it is bound to.
struct NamedTensor {
  size_t argument;
  int item;                  // index in a list; -1: the argument itself
  std::vector<size_t> axes;  // the Definition's axes
};
struct NamedLength {
  size_t argument;
  size_t axis;
};
// Value that the Definition gives to an argument on which the outputs' sizes may depend: an
// integer, a bool or a list of these; nothing: None.
struct NamedConstant {
  size_t argument;
  std::optional<std::vector<int64_t>> values;
};
// Sizes by a Definition that is linked to an operator.
struct NamedShapes {
  const char* definition;
  std::vector<int64_t> axes;  // lengths of const axes, -1 for var axes
  std::vector<NamedTensor> inputs;
  std::vector<NamedLength> lengths;
  std::vector<NamedConstant> constants;
  std::vector<NamedTensor> outputs;
};

using Lengths = std::vector<std::optional<c10::SymInt>>;

// Returns nothing where the argument is none.
inline std::optional<at::Tensor> find_tensor(const Call& call, const NamedTensor& named) {
  const c10::IValue* value = &call.argument(named.argument);
  if (named.item >= 0) {
    if (!value->isList() || value->toListRef().size() <= static_cast<size_t>(named.item)) return {};
    value = &value->toListRef()[static_cast<size_t>(named.item)];
  }
  return value->isTensor() ? std::optional(value->toTensor()) : std::nullopt;
}

// Returns false where the axis has another length already.
inline bool bind_axis(std::optional<c10::SymInt>& axis, const c10::SymInt& length) {
  if (!axis) axis = length;
  return *axis == length;
}

inline bool is_number(const c10::IValue& value, int64_t wanted) {
  return value.isBool() ? value.toBool() == (wanted != 0) : value.toSymInt() == wanted;
}

inline bool is_constant(const c10::IValue& value, const NamedConstant& constant) {
  if (!constant.values || value.isNone()) return !constant.values && value.isNone();
  const std::vector<int64_t>& wanted = *constant.values;
  if (!value.isList()) return wanted.size() == 1 && is_number(value, wanted[0]);
  const auto items = value.toListRef();
  return std::equal(
      items.begin(), items.end(), wanted.begin(), wanted.end(),
      [](const c10::IValue& item, int64_t number) { return is_number(item, number); });
}

inline bool has_constants(const Call& call, const NamedShapes& shapes) {
  return std::all_of(shapes.constants.begin(), shapes.constants.end(),
                     [&](const NamedConstant& constant) {
                       return is_constant(call.argument(constant.argument), constant);
                     });
}

// Returns the axes' lengths in a call: its inputs' ones, and for others the const ones. Nothing
// where the call is not of the Definition's ranks, or gives one axis two lengths.
inline std::optional<Lengths> bind_axes(const Call& call, const NamedShapes& shapes) {
  Lengths lengths(shapes.axes.size());
  for (const NamedTensor& input : shapes.inputs) {
    const auto tensor = find_tensor(call, input);
    if (!tensor || static_cast<size_t>(tensor->dim()) != input.axes.size()) return {};
    for (size_t i = 0; i < input.axes.size(); ++i) {
      if (!bind_axis(lengths[input.axes[i]], tensor->sym_size(static_cast<int64_t>(i)))) return {};
    }
  }
  for (const auto& [argument, axis] : shapes.lengths) {
    const c10::IValue& value = call.argument(argument);
    if (value.isNone() || !bind_axis(lengths[axis], value.toSymInt())) return {};
  }
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (!lengths[i] && shapes.axes[i] >= 0) lengths[i] = shapes.axes[i];
  }
  return lengths;
}

inline void resize_outputs(const Call& call, const NamedShapes& shapes, const Lengths& lengths) {
  for (const NamedTensor& output : shapes.outputs) {
    const auto tensor = find_tensor(call, output);
    if (!tensor) continue;
    std::vector<c10::SymInt> sizes;
    for (const size_t axis : output.axes) {
      if (!lengths[axis])
        call.refuse(output.argument, std::string("has an axis in ") + shapes.definition +
                                         " whose length no input gives");
      sizes.push_back(*lengths[axis]);
    }
    if (tensor->sym_sizes() != c10::SymIntArrayRef(sizes)) tensor->resize__symint(sizes);
  }
}

// Handles a library's own operator without outputs. `returned`: the arguments that it returns.
inline void keep_sizes(const c10::OperatorHandle& op, torch::jit::Stack* stack,
                       std::initializer_list<size_t> returned) {
  Call call(op, *stack, c10::DeviceType::Meta);
  check_devices(call);
  call.give(returned);
}

// Handles one with outputs: the first Definition that fits gives their sizes.
inline void infer_by_definition(const c10::OperatorHandle& op, torch::jit::Stack* stack,
                                const std::vector<NamedShapes>& known,
                                std::initializer_list<size_t> returned) {
  Call call(op, *stack, c10::DeviceType::Meta);
  check_devices(call);
  for (const NamedShapes& shapes : known) {
    const auto lengths = bind_axes(call, shapes);
    if (!lengths || !has_constants(call, shapes)) continue;
    const Outputs outputs(call, op);
    resize_outputs(call, shapes, *lengths);
    outputs.restride();
    return call.give(returned);
  }
  std::string names;
  for (const NamedShapes& shapes : known)
    names += (names.empty() ? "" : ", ") + std::string(shapes.definition);
  TORCH_CHECK(
      false, op.operator_name(),
      ": no Definition gives the sizes of its outputs for inputs of these sizes, with these "
      "arguments; ",
      names.empty() ? "none is linked to it" : "there is " + names);
}

}  // namespace kbench::torch_library

#endif  // KBENCH_TORCH_META_H_
