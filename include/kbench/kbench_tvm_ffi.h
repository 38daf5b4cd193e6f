// SPDX-License-Identifier: Apache-2.0
// Arguments of TVM-FFI made ready for a kernel: the RegisterTvmFfi.cpp that "kbench kernels codegen
// --as tvm-ffi" writes uses this. Needs nothing of TVM-FFI when it is built. C++17.
//
//   void add_out(Call& call) {
//     Held<kernels::Tensor> self({call, 0, Role::input}), out({call, 1, Role::output});
//     mylib::native::add_out(call.context(), self.value(), out.value());
//     call.check();
//     out.write_back();
//   }
//   constexpr Operator op = {"mylib::add.out", "self, out", 2, &add_out};
//   KBENCH_TVM_FFI_EXPORT(mylib_add_out, op)
#ifndef KBENCH_TVM_FFI_H_
#define KBENCH_TVM_FFI_H_

#ifndef KBENCH_OWN_RUNTIME
#define KBENCH_OWN_RUNTIME
#endif
#include <memory>
#include <string>
#include <vector>

#include "kbench_any.h"
#include "kbench_held.h"
#include "kbench_kernel.h"
#include "kbench_layout.h"

namespace kbench::tvm_ffi_library {

namespace kernels = ::kbench::kernels;
using kernels::Role;
class Call;
using Place = kernels::Place<Call>;

struct Operator {
  const char* name;       // "aten::add.out"
  const char* arguments;  // "self, other, alpha, out"
  int32_t count;
  void (*call)(Call& call);
};

// Refusal that ends a call: an exception of Python's and its text.
struct Refusal {
  const char* kind;
  std::string message;
};

// Returns a tensor as kernels get it: one whose elements do not lie densely counts as contiguous,
// as it is copied. Its strides are its own.
inline kernels::TensorImpl layout_of(const Tensor& tensor) {
  kernels::TensorImpl impl;
  impl.type = kernels::find_element_type(tensor.dtype())->scalar;
  impl.dim = tensor.ndim();
  for (int i = 0; i < impl.dim; ++i) {
    impl.sizes[i] = tensor.size(i);
    impl.strides[i] = tensor.stride(i);
  }
  impl.data = tensor.data<char>();
  read_dim_order(impl);
  if (!is_dense(impl)) set_contiguous_order(impl);
  return impl;
}

// Returns a message's words for the tensors that a value has.
inline std::string text_of(const Any& value) {
  if (detail::Read<Tensor>::takes(value))
    return kernels::text_of(layout_of(detail::Read<Tensor>::from(value)));
  if (!detail::Read<detail::Items>::takes(value)) return "";
  return kernels::list_text(detail::Read<detail::Items>::from(value),
                            [](const Any& item) { return text_of(item); });
}

// Call of an operator: its arguments, and the kernel's error.
class Call {
 public:
  Call(const Operator& op, const Any* arguments, int32_t count) : op_(op), arguments_(arguments) {
    if (count != op.count)
      fail("TypeError", "wrong number of arguments: " + std::to_string(count) +
                            ", where it takes " + std::to_string(op.count) + " (" + op.arguments +
                            ")");
  }

  kernels::KernelRuntimeContext& context() { return context_; }
  const Any& argument(size_t i) const { return arguments_[i]; }

  // Ends the call: `problem` says what is wrong with an argument.
  [[noreturn]] void refuse(size_t i, const std::string& problem) const {
    fail("ValueError", name_of(i) + " " + problem);
  }
  [[noreturn]] void refuse_type(size_t i, const char* wanted, const Any& value) const {
    fail("TypeError", name_of(i) + " is " + kind_of(value) + ", where the kernels take " + wanted);
  }

  // Ends the call where the kernel failed.
  void check() const {
    const kernels::Error error = context_.failure_state();
    if (error == kernels::Error::Ok) return;
    std::string text = context_.message();
    if (text.empty()) text = std::string("the kernel failed with ") + kernels::name_of(error);
    fail("RuntimeError",
         text + kernels::called_with(
                    static_cast<size_t>(op_.count), [this](size_t i) { return name_of(i); },
                    [this](size_t i) { return text_of(arguments_[i]); }));
  }

 private:
  [[noreturn]] void fail(const char* kind, const std::string& message) const {
    const std::string begin = std::string(op_.name) + ": ";
    const bool has_it = message.compare(0, begin.size(), begin) == 0;  // begin of a miss
    throw Refusal{kind, has_it ? message : begin + message};
  }

  std::string name_of(size_t i) const {
    std::string_view names = op_.arguments;
    for (; i > 0; --i) names.remove_prefix(names.find(' ') + 1);
    return std::string(names.substr(0, names.find(',')));
  }

  const Operator& op_;
  const Any* arguments_;
  kernels::KernelRuntimeContext context_{kernels::Scratch::heap};
};

template <typename T>
T read(const Place& place, const Any& value) {
  using Read = detail::Read<T>;
  if (!Read::takes(value)) place.call.refuse_type(place.index, Read::name, value);
  return Read::from(value);
}

// Ends the call where a kernel cannot be given the tensor.
inline Tensor check_tensor(const Place& place, const Tensor& tensor) {
  constexpr int32_t cpu = 1;  // DLPack's number
  if (tensor.device().type != cpu) place.refuse("is not on the CPU, where the kernels run");
  if (tensor.ndim() > kernels::kMaxDims)
    place.refuse("has " + std::to_string(tensor.ndim()) + " dimensions; the kernels take " +
                 std::to_string(kernels::kMaxDims));
  if (kernels::find_element_type(tensor.dtype()) == nullptr)
    place.refuse("has a dtype that the kernels do not know");
  for (int i = 0; i < tensor.ndim(); ++i) {
    if (place.role != Role::input && tensor.stride(i) == 0 && tensor.size(i) > 1)
      place.refuse("is written to, and has elements that are one in memory");
  }
  return tensor;
}

// Tensor of a call. One whose elements do not lie densely is copied, and an output copied back.
class HeldTensor {
 public:
  explicit HeldTensor(const Place& place) : HeldTensor(place, place.value()) {}
  HeldTensor(const Place& place, const Any& value)
      : impl_(layout_of(check_tensor(place, read<Tensor>(place, value)))) {
    impl_.capacity = static_cast<size_t>(impl_.numel()) * kernels::element_size(impl_.type);
    if (!is_dense(impl_)) copy();
    impl_.set_dense_strides();
  }
  HeldTensor(const HeldTensor&) = delete;
  HeldTensor& operator=(const HeldTensor&) = delete;

  kernels::Tensor& value() { return handle_; }
  void write_back() {
    if (given_) copy_common(impl_, *given_);
  }

 private:
  void copy() {
    given_ = std::make_unique<kernels::TensorImpl>(impl_);
    memory_.resize(impl_.capacity);
    impl_.data = memory_.data();
    impl_.set_dense_strides();
    copy_common(*given_, impl_);
  }

  kernels::TensorImpl impl_;
  kernels::Tensor handle_{&impl_};
  std::unique_ptr<kernels::TensorImpl> given_;  // set if it is copied
  std::vector<char> memory_;
};

// Reader of TVM-FFI's values.
struct Host {
  using Call = tvm_ffi_library::Call;
  using HeldTensor = tvm_ffi_library::HeldTensor;
  using Value = Any;
  template <typename T>
  using List = std::vector<T>;

  static bool is_none(const Value& value) { return value.type_index == kNone; }
  static detail::Items items(const Place& place, const Value& value) {
    return tvm_ffi_library::read<detail::Items>(place, value);
  }
  template <typename T>
  static T read(const Place& place, const Value& value) {
    return tvm_ffi_library::read<T>(place, value);
  }
};

template <typename T>
using Held = kernels::Held<Host, T>;

// Returns 0, or -1 where an error has been raised.
inline int serve(const Operator& op, const Any* arguments, int32_t count, Any* result) {
  try {
    Call call(op, arguments, count);
    op.call(call);
    *result = Any{kNone, 0, {0}};
    return 0;
  } catch (const Refusal& refusal) {
    return detail::raise(refusal.kind, refusal.message.c_str());
  } catch (const std::exception& error) {
    return detail::raise("RuntimeError", error.what());
  } catch (...) {
    return detail::raise("RuntimeError", "the kernel threw what is no std::exception");
  }
}

}  // namespace kbench::tvm_ffi_library

// Exports an Operator under a name.
#define KBENCH_TVM_FFI_EXPORT(name, op)                                              \
  extern "C" __attribute__((visibility("default"))) int __tvm_ffi_##name(            \
      void*, const ::kbench::Any* arguments, int32_t count, ::kbench::Any* result) { \
    return ::kbench::tvm_ffi_library::serve(op, arguments, count, result);           \
  }

#endif  // KBENCH_TVM_FFI_H_
