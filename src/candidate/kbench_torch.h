// SPDX-License-Identifier: Apache-2.0
// PyTorch's arguments as a kernel takes them: what the RegisterCPU.cpp and RegisterCUDA.cpp are
// made of that "kbench kernels codegen --as torch" writes. Needs LibTorch 2.11 or newer, and C++20.
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
#include <deque>
#include <exception>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kbench_kernel.h"
#if KBENCH_WITH_EXECUTORCH
#error "define KBENCH_OWN_RUNTIME: PyTorch cannot call kernels that are built for ExecuTorch"
#endif

namespace kbench::torch_library {

namespace kernels = ::kbench::kernels;

enum class Role : size_t {
  input,
  in_place,  // written, and its sizes stay
  output,    // written, and given the sizes of the result
};

// What an operator is registered with. Tracers ask for the tags that newer PyTorches have.
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

// One call of an operator: its arguments on PyTorch's stack, and what the kernel says of it.
class Call {
 public:
  // All tensors must be on a device of this type.
  Call(const c10::OperatorHandle& op, torch::jit::Stack& stack, c10::DeviceType type)
      : op_(op), stack_(stack), count_(op.schema().arguments().size()), device_(type) {
    if (type != c10::DeviceType::CPU) find_device();
  }

  kernels::KernelRuntimeContext& context() { return context_; }
  const c10::IValue& argument(size_t i) const { return stack_[stack_.size() - count_ + i]; }
  // Of several of one type, that of the first tensor.
  c10::Device device() const { return device_; }

  // Ends the call: `problem` is what is wrong with an argument.
  [[noreturn]] void refuse(size_t i, const std::string& problem) const {
    TORCH_CHECK(false, op_.operator_name(), ": ", op_.schema().arguments()[i].name(), " ", problem);
  }
  // visit(i, tensor) of each tensor that is given, of lists, too.
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

  // An exception that must not pass through a kernel; check() throws it.
  void keep(std::exception_ptr error) { error_ = std::move(error); }

  // Throws where the kernel failed.
  void check() const {
    if (error_) std::rethrow_exception(error_);
    const kernels::Error error = context_.failure_state();
    if (error == kernels::Error::Ok) return;
    const std::string_view message = context_.message();
    if (!message.empty()) TORCH_CHECK(false, op_.operator_name(), ": ", message);
    TORCH_CHECK(false, op_.operator_name(), ": the kernel failed with error ",
                static_cast<uint32_t>(error));
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

// An argument of a call.
struct Place {
  Call& call;
  size_t index;
  Role role = Role::input;

  const c10::IValue& value() const { return call.argument(index); }
  [[noreturn]] void refuse(const std::string& problem) const { call.refuse(index, problem); }
};

// Dimensions from the outermost in memory to the innermost. What lengths of 1 leave open is as in
// PyTorch's memory formats, contiguous first.
inline void read_dim_order(const at::Tensor& tensor, kernels::DimOrderType* order) {
  constexpr kernels::DimOrderType last_2d[] = {0, 2, 3, 1}, last_3d[] = {0, 2, 3, 4, 1};
  const int64_t dim = tensor.dim();
  std::iota(order, order + dim, kernels::DimOrderType{0});
  if (tensor.is_contiguous()) return;
  if (dim == 4 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast)) {
    std::copy(last_2d, last_2d + dim, order);
  } else if (dim == 5 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast3d)) {
    std::copy(last_3d, last_3d + dim, order);
  } else {
    const auto strides = tensor.strides();
    std::sort(order, order + dim, [&](auto a, auto b) {
      return strides[a] != strides[b] ? strides[a] > strides[b] : a < b;
    });
  }
}

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

// What stands before the kernels: they compute no gradients.
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

// What an argument points to, for as long as its kernel runs. value() is what the kernel is given;
// write_back(), of one that is written, comes after the kernel. This one is of types that point to
// nothing.
template <typename T>
class Held {
 public:
  explicit Held(const Place& place) : Held(place, place.value()) {}
  Held(const Place& place, const c10::IValue& value) : value_(read(place, value)) {}
  T value() const { return value_; }
  void write_back() {}

 private:
  static T read(const Place& place, const c10::IValue& value) {
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

  T value_;
};

// A tensor. One whose elements do not lie densely is copied, and an output copied back.
template <>
class Held<kernels::Tensor> {
 public:
  explicit Held(const Place& place) : Held(place, place.value()) {}
  Held(const Place& place, const c10::IValue& value) : place_(place), given_(value.toTensor()) {
    check_tensor(place, given_);
    if (!given_.is_non_overlapping_and_dense()) copy_ = given_.contiguous();
    describe();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  kernels::Tensor& value() { return handle_; }

  // PyTorch warns of an output with elements that is given other sizes, and so does this.
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
    impl_.dim = static_cast<int>(tensor.dim());
    const int64_t* const sizes = tensor.sizes().data();
    for (int i = 0; i < impl_.dim; ++i) impl_.sizes[i] = sizes[i];
    read_dim_order(tensor, impl_.dim_order);
    impl_.set_dense_strides();
    if (place_.role == Role::input) {
      impl_.data = const_cast<void*>(tensor.const_data_ptr());
      return;
    }
    // Of the storage, as a tensor without elements has no memory of its own to tell.
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
    Held& held = *static_cast<Held*>(owner);
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

template <typename T>
class Held<std::optional<T>> {
 public:
  explicit Held(const Place& place) : Held(place, place.value()) {}
  Held(const Place& place, const c10::IValue& value) {
    if (value.isNone()) return;
    held_.emplace(place, value);
    value_.emplace(held_->value());
  }
  const std::optional<T>& value() const { return value_; }
  void write_back() {
    if (held_) held_->write_back();
  }

 private:
  std::optional<Held<T>> held_;
  std::optional<T> value_;
};

template <typename T>
class Held<kernels::ArrayRef<T>> {
 public:
  explicit Held(const Place& place) : Held(place, place.value()) {}
  Held(const Place& place, const c10::IValue& value) {
    for (const c10::IValue& item : value.toListRef())
      values_.push_back(held_.emplace_back(place, item).value());
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  kernels::ArrayRef<T> value() const { return {values_.data(), values_.size()}; }
  void write_back() {
    for (Held<T>& one : held_) one.write_back();
  }

 private:
  static constexpr bool is_plain = std::is_copy_constructible_v<Held<T>>;
  // What others point to keeps its place.
  std::conditional_t<is_plain, c10::SmallVector<Held<T>, 4>, std::deque<Held<T>>> held_;
  c10::SmallVector<T, 4> values_;
};

}  // namespace kbench::torch_library

#endif  // KBENCH_TORCH_H_
