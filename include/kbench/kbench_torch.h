// SPDX-License-Identifier: Apache-2.0
// Arguments of PyTorch made ready for a kernel: the RegisterCPU.cpp and RegisterCUDA.cpp that
// "kbench kernels codegen --as torch" writes use this. Needs LibTorch 2.11 or newer, and C++20.
//
//   void add_out(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
//     Call call(op, *stack, c10::DeviceType::CPU);
//     Held<kernels::Tensor> self({call, 0, Role::input}), out({call, 1, Role::output});
//     mylib::native::add_out(call.context(), self.value(), out.value());
//     call.check();
//     out.write_back();
//     call.give({1});
//   }
#ifndef KBENCH_TORCH_H_
#define KBENCH_TORCH_H_

#ifndef KBENCH_OWN_RUNTIME
#define KBENCH_OWN_RUNTIME
#endif
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/util/SmallVector.h>
#include <torch/library.h>

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kbench_held.h"
#include "kbench_kernel.h"
#include "kbench_layout.h"
#if KBENCH_WITH_EXECUTORCH
#error "define KBENCH_OWN_RUNTIME: PyTorch cannot call kernels that are built for ExecuTorch"
#endif

namespace kbench::torch_library {

namespace kernels = ::kbench::kernels;
using kernels::Role;

// Kind with which an operator is registered. Tracers ask for the tags of newer PyTorches.
enum class Kind { out, in_place, other };
template <typename Tag = at::Tag>
const std::vector<Tag>& tags_of(Kind kind) {
  static const std::vector<Tag> none;
  if constexpr (requires { Tag::out, Tag::inplace; }) {
    static const std::vector<Tag> out = {Tag::out}, in_place = {Tag::inplace};
    if (kind != Kind::other) return kind == Kind::out ? out : in_place;
  }
  return none;
}

inline void read_layout(const at::Tensor& tensor, kernels::TensorImpl& impl) {
  impl.dim = static_cast<int>(tensor.dim());
  std::copy_n(tensor.sizes().data(), impl.dim, impl.sizes);
  std::copy_n(tensor.strides().data(), impl.dim, impl.strides);
  read_dim_order(impl);
}

// Returns a message's words for the tensors that a value has.
inline std::string text_of(const c10::IValue& value) {
  if (value.isList()) return kernels::list_text(value.toListRef(), &text_of);
  if (!value.isTensor() || !value.toTensor().defined()) return "";
  kernels::TensorImpl impl;
  impl.type = static_cast<kernels::ScalarType>(value.toTensor().scalar_type());
  read_layout(value.toTensor(), impl);
  return kernels::text_of(impl);
}

// Call of an operator: its arguments on PyTorch's stack, and the kernel's error.
class Call {
 public:
  // All tensors must be on a device of this type.
  Call(const c10::OperatorHandle& op, torch::jit::Stack& stack, c10::DeviceType type)
      : op_(op),
        stack_(stack),
        count_(op.schema().arguments().size()),
        device_(type),
        context_(type == c10::DeviceType::CPU ? kernels::Scratch::heap : kernels::Scratch::none) {
    if (type != c10::DeviceType::CPU) find_device();
  }

  kernels::KernelRuntimeContext& context() { return context_; }
  const c10::IValue& argument(size_t i) const { return stack_[stack_.size() - count_ + i]; }
  // Returns the device of the first tensor.
  c10::Device device() const { return device_; }

  const std::string& name_of(size_t i) const { return op_.schema().arguments()[i].name(); }

  // Ends the call: `problem` says what is wrong with an argument.
  [[noreturn]] void refuse(size_t i, const std::string& problem) const {
    TORCH_CHECK(false, op_.operator_name(), ": ", name_of(i), " ", problem);
  }
  // Calls visit(i, tensor) for each tensor that is given, in lists, too.
  template <typename Visit>
  void for_each_tensor(const Visit& visit) const {
    for (size_t i = 0; i < count_; ++i) {
      const c10::IValue& value = argument(i);
      if (value.isTensor() && value.toTensor().defined()) visit(i, value.toTensor());
      if (!value.isList()) continue;
      for (const c10::IValue& item : value.toListRef()) {
        if (item.isTensor() && item.toTensor().defined()) visit(i, item.toTensor());
      }
    }
  }

  // Keeps an exception that must not pass through a kernel; check() throws it.
  void keep(std::exception_ptr error) { error_ = std::move(error); }

  // Throws where the kernel failed.
  void check() const {
    if (error_) std::rethrow_exception(error_);
    const kernels::Error error = context_.failure_state();
    if (error == kernels::Error::Ok) return;
    std::string text(context_.message());
    if (text.empty()) text = std::string("the kernel failed with ") + kernels::name_of(error);
    TORCH_CHECK(false, op_.operator_name(), ": ", text,
                kernels::called_with(
                    count_, [this](size_t i) { return name_of(i); },
                    [this](size_t i) { return text_of(argument(i)); }));
  }

  // Takes the arguments from the stack, and leaves those that are returned.
  void give(std::initializer_list<size_t> returned) {
    c10::SmallVector<c10::IValue, 4> results;
    for (const size_t i : returned) results.push_back(argument(i));
    torch::jit::drop(stack_, count_);
    for (c10::IValue& result : results) stack_.push_back(std::move(result));
  }

 private:
  void find_device() {
    for_each_tensor([&](size_t, const at::Tensor& tensor) {
      const c10::Device device = tensor.device();
      if (!device_.has_index() && device.type() == device_.type()) device_ = device;
    });
  }

  // Autograd has nothing to do below the operator.
  at::AutoDispatchBelowADInplaceOrView below_autograd_;
  const c10::OperatorHandle& op_;
  torch::jit::Stack& stack_;
  size_t count_;
  c10::Device device_;
  kernels::KernelRuntimeContext context_;
  std::exception_ptr error_;
};

using Place = kernels::Place<Call>;

// Ends the call where a kernel cannot be given the tensor.
inline void check_tensor(const Place& place, const at::Tensor& tensor) {
  if (!tensor.defined()) place.refuse("is no tensor");
  if (tensor.layout() != c10::kStrided)
    place.refuse("is " + c10::str(tensor.layout()) + "; the kernels take dense tensors");
  const c10::Device wanted = place.call.device();
  const bool is_elsewhere =
      wanted.has_index() ? tensor.device() != wanted : tensor.device().type() != wanted.type();
  if (is_elsewhere)
    place.refuse("is on " + tensor.device().str() + ", where the call runs on " + wanted.str());
  if (tensor.dim() > kernels::kMaxDims)
    place.refuse("has " + std::to_string(tensor.dim()) + " dimensions; the kernels take " +
                 std::to_string(kernels::kMaxDims));
  const auto type = static_cast<kernels::ScalarType>(tensor.scalar_type());
  if (kernels::element_size(type) != tensor.itemsize())
    place.refuse("has the dtype " + c10::str(tensor.scalar_type()) +
                 ", which the kernels do not know");
  if (tensor.is_conj() || tensor.is_neg())
    place.refuse("is a conjugate or negative view; resolve it");
}

// Refuses gradients before the kernels, which compute none.
inline void refuse_gradients(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                             torch::jit::Stack* stack) {
  if (c10::GradMode::is_enabled()) {
    const Call call(op, *stack, c10::DeviceType::CPU);
    call.for_each_tensor([&](size_t i, const at::Tensor& tensor) {
      if (tensor.requires_grad())
        call.refuse(i,
                    "requires a gradient, which the operator does not compute: detach() it, or "
                    "call within torch.no_grad()");
    });
  }
  op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
}

// Tensor of a call. One whose elements do not lie densely is copied, and an output copied back.
class HeldTensor {
 public:
  explicit HeldTensor(const Place& place) : HeldTensor(place, place.value()) {}
  HeldTensor(const Place& place, const c10::IValue& value)
      : place_(place), given_(value.toTensor()) {
    check_tensor(place, given_);
    if (!given_.is_non_overlapping_and_dense()) copy_ = given_.contiguous();
    describe();
  }
  HeldTensor(const HeldTensor&) = delete;
  HeldTensor& operator=(const HeldTensor&) = delete;

  kernels::Tensor& value() { return handle_; }

  // Warns, as PyTorch does, of an output with elements that gets other sizes.
  void write_back() {
    const at::Tensor& tensor = used();
    const auto dim = static_cast<size_t>(impl_.dim);
    const at::IntArrayRef sizes(impl_.sizes, dim), strides(impl_.strides, dim);
    if (tensor.sizes() != sizes) {
      if (tensor.numel() != 0)
        TORCH_WARN("An output with one or more elements was resized since it had shape ",
                   tensor.sizes(), ", which does not match the required output shape ", sizes);
      tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
      if (copy_.defined()) given_.resize_(sizes);
    }
    if (copy_.defined()) given_.copy_(copy_);
    given_.unsafeGetTensorImpl()->bump_version();
  }

 private:
  const at::Tensor& used() const { return copy_.defined() ? copy_ : given_; }

  void describe() {
    const at::Tensor& tensor = used();
    impl_.type = static_cast<kernels::ScalarType>(tensor.scalar_type());
    read_layout(tensor, impl_);
    impl_.set_dense_strides();
    if (place_.role == Role::input) {
      impl_.data = const_cast<void*>(tensor.const_data_ptr());
      return;
    }
    // Place by the storage: a tensor without elements has no memory of its own.
    const size_t before = static_cast<size_t>(tensor.storage_offset()) * tensor.itemsize();
    const size_t all = tensor.storage().nbytes();
    impl_.data =
        before <= all ? static_cast<char*>(tensor.storage().mutable_data()) + before : nullptr;
    impl_.capacity = all - std::min(before, all);
    impl_.is_resizable = place_.role == Role::output;
    impl_.grow = &grow;
    impl_.owner = this;
  }

  // Other tensors would go on pointing to the memory that a larger storage leaves.
  void check_alone() const {
    place_.call.for_each_tensor([&](size_t i, const at::Tensor& other) {
      if (i != place_.index && other.is_alias_of(used()))
        place_.refuse("shares memory with another argument, and cannot be made larger");
    });
  }

  // Enlarges the storage. Sizes and strides follow when the kernel has ended.
  static void* grow(void* owner, size_t bytes) {
    HeldTensor& held = *static_cast<HeldTensor*>(owner);
    const at::Tensor& tensor = held.used();
    try {
      held.check_alone();
      const std::vector<int64_t> sizes = tensor.sizes().vec(), strides = tensor.strides().vec();
      tensor.resize_({static_cast<int64_t>(bytes / tensor.itemsize())});
      void* const data = tensor.mutable_data_ptr();
      tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
      return data;
    } catch (...) {
      held.place_.call.keep(std::current_exception());
      return nullptr;
    }
  }

  Place place_;
  const at::Tensor& given_;
  at::Tensor copy_;
  kernels::TensorImpl impl_;
  kernels::Tensor handle_{&impl_};
};

// Reader of PyTorch's values.
struct Host {
  using Call = torch_library::Call;
  using HeldTensor = torch_library::HeldTensor;
  using Value = c10::IValue;
  template <typename T>
  using List = c10::SmallVector<T, 4>;

  static bool is_none(const Value& value) { return value.isNone(); }
  static c10::ArrayRef<Value> items(const Place&, const Value& value) { return value.toListRef(); }

  template <typename T>
  static T read(const Place& place, const Value& value) {
    if constexpr (std::is_same_v<T, kernels::Scalar>) {
      const c10::Scalar scalar = value.toScalar();
      if (scalar.isComplex()) place.refuse("is a complex number, which the kernels do not know");
      if (scalar.isBoolean()) return scalar.to<bool>();
      return scalar.isFloatingPoint() ? T(scalar.to<double>()) : T(scalar.to<int64_t>());
    } else if constexpr (std::is_same_v<T, kernels::Device>) {
      const c10::Device device = value.toDevice();
      return {static_cast<int8_t>(device.type()), static_cast<int8_t>(device.index())};
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      return value.toStringView();
    } else if constexpr (std::is_enum_v<T>) {  // ScalarType, MemoryFormat: numbers are PyTorch's
      return static_cast<T>(value.toInt());
    } else {
      return value.to<T>();
    }
  }
};

template <typename T>
using Held = kernels::Held<Host, T>;

}  // namespace kbench::torch_library

#endif  // KBENCH_TORCH_H_
