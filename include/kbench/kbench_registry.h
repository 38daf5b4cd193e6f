// SPDX-License-Identifier: Apache-2.0
// Kernels by name: the Register….cpp that "kbench kernels codegen" writes uses them. Where
// ExecuTorch's headers are there, its registry is used; else the one of kbench_registry.cpp, which
// is to be compiled with the generated files. Source of the interface: ExecuTorch,
// runtime/kernel/operator_registry.h.
#ifndef KBENCH_REGISTRY_H_
#define KBENCH_REGISTRY_H_

#include "kbench_dispatch.h"

#if KBENCH_WITH_EXECUTORCH
#include <executorch/runtime/kernel/operator_registry.h>
#else
#include <new>
#endif

namespace kbench::kernels {

#if KBENCH_WITH_EXECUTORCH

using executorch::runtime::EValue;
using executorch::runtime::Kernel;
using executorch::runtime::OpFunction;
using executorch::runtime::register_kernels;

inline Error try_register_kernels(Span<const Kernel> kernels) { return register_kernels(kernels); }

// Takes an argument out of an EValue, and ends the program where it is none.
template <typename T>
struct Unbox {
  static bool can(const EValue&) { return true; }
  static T from(EValue& value) { return value.to<T>(); }
};
template <typename T>
struct Unbox<std::optional<T>> {
  static bool can(const EValue&) { return true; }
  static std::optional<T> from(EValue& value) { return value.toOptional<T>(); }
};
#define KBENCH_UNBOX_LIST(Type, method)                        \
  template <>                                                  \
  struct Unbox<Type> {                                         \
    static bool can(const EValue&) { return true; }            \
    static Type from(EValue& value) { return value.method(); } \
  }
KBENCH_UNBOX_LIST(TensorList, toTensorList);
KBENCH_UNBOX_LIST(ArrayRef<std::optional<Tensor>>, toListOptionalTensor);
KBENCH_UNBOX_LIST(ArrayRef<int64_t>, toIntList);
KBENCH_UNBOX_LIST(ArrayRef<double>, toDoubleList);
KBENCH_UNBOX_LIST(ArrayRef<bool>, toBoolList);
#undef KBENCH_UNBOX_LIST

// ExecuTorch's key of a kernel names an output twice; the other key is kbench's.
#define KBENCH_KERNEL(name, key, executorch_key, function, where, ...) \
  ::kbench::kernels::Kernel(name, executorch_key, function)
#define KBENCH_DEFAULT_KERNEL(name, function, where, ...) ::kbench::kernels::Kernel(name, function)

#else

template <typename T>
inline constexpr char type_tag = 0;  // its address stands for the type

// Argument or result of a kernel that is called by name: a value of 24 bytes at most, or none.
class EValue {
 public:
  EValue() = default;
  template <typename T, std::enable_if_t<!std::is_same_v<T, EValue>, int> = 0>
  EValue(const T& value) : type_(&type_tag<T>) {
    static_assert(sizeof(T) <= sizeof storage_ && std::is_trivially_copyable_v<T>);
    new (storage_) T(value);
  }
  bool isNone() const { return type_ == nullptr; }
  template <typename T>
  bool is() const {
    return type_ == &type_tag<T>;
  }
  // Returns the value, which is of that type: is<T>() holds.
  template <typename T>
  const T& to() const {
    return *std::launder(reinterpret_cast<const T*>(storage_));
  }

 private:
  const char* type_ = nullptr;
  alignas(8) unsigned char storage_[24] = {};
};

template <typename T>
struct Unbox {
  static bool can(const EValue& value) { return value.is<T>(); }
  static T from(const EValue& value) { return value.to<T>(); }
};
// Takes a number of any kind.
template <>
struct Unbox<Scalar> {
  static bool can(const EValue& value) {
    return value.is<Scalar>() || value.is<int64_t>() || value.is<double>() || value.is<bool>();
  }
  static Scalar from(const EValue& value) {
    if (value.is<int64_t>()) return value.to<int64_t>();
    if (value.is<double>()) return value.to<double>();
    return value.is<bool>() ? Scalar(value.to<bool>()) : value.to<Scalar>();
  }
};
// Takes a value or none; a given one as T itself or as an optional.
template <typename T>
struct Unbox<std::optional<T>> {
  static bool can(const EValue& value) {
    return value.isNone() || value.is<std::optional<T>>() || Unbox<T>::can(value);
  }
  static std::optional<T> from(const EValue& value) {
    if (value.isNone()) return std::nullopt;
    return value.is<std::optional<T>>() ? value.to<std::optional<T>>() : Unbox<T>::from(value);
  }
};

// Takes the arguments from `stack` and writes the results behind them.
using OpFunction = void (*)(KernelRuntimeContext& context, Span<EValue*> stack);

// Element type and dim order of a tensor, by which a kernel is looked for.
struct TensorMeta {
  ScalarType dtype_;
  Span<const DimOrderType> dim_order_;
};

// Kernel by name. The texts must live as long as the registry.
struct Kernel {
  const char* name_ = nullptr;
  // "v1/6;0,1|6;0,1"; "*" for any, "?" for any or none, "-" for none; nullptr: the default
  const char* key_ = nullptr;
  OpFunction op_ = nullptr;
  const char* where_ = "";  // place of its declaration, "kernels.yaml:12"
  const char* call_ = "";   // op_ as the source names it, "&call_my_add<&::my::native::add>"
  // Kernel with the highest priority of all that serve a call is taken, then with the key that
  // leaves least open, then the highest order, then the lowest place.
  int priority_ = 0;
  int backend_order_ = 0;  // -1: any backend; more for one that needs more of the processor
  int place_ = 0;          // index among the kernels generated with it for the operator
};

#define KBENCH_KERNEL(name, key, executorch_key, function, where, ...) \
  ::kbench::kernels::Kernel { name, key, function, where, #function, __VA_ARGS__ }
#define KBENCH_DEFAULT_KERNEL(name, function, where, ...) \
  ::kbench::kernels::Kernel { name, nullptr, function, where, #function, __VA_ARGS__ }

// Bytes for the key of 16 tensors of 16 dimensions.
constexpr size_t kKernelKeyBufSize = 659;

// Writes "v1/6;0,1|…" and a 0 to `buffer`; nothing for no tensors. InvalidArgument where it is too
// small, or a number has more than two digits.
Error make_kernel_key_string(Span<const TensorMeta> tensors, char* buffer, size_t size);

// Registers all, or none and says on stderr why: RegistrationAlreadyRegistered for a kernel that is
// there already, with both places; InvalidArgument for a key that is none;
// RegistrationExceedingMaxKernels beyond KBENCH_MAX_KERNELS, where that is defined.
Error try_register_kernels(Span<const Kernel> kernels);
// Registers them, and ends the program where that fails.
Error register_kernels(Span<const Kernel> kernels);

Span<const Kernel> get_registered_kernels();

// Returns the kernel that is registered for exactly these tensors, else one whose key leaves some
// open, else the default. Tensors that name the outputs twice, as ExecuTorch's runtime does, are
// understood. OperatorMissing where there is none; stderr then has the request, the kernels there
// are and the first difference. InvalidArgument for tensors without a key.
Result<OpFunction> get_op_function_from_registry(const char* name,
                                                 Span<const TensorMeta> tensors = {});
// Looks among the kernels of the caller instead.
Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> tensors,
                                                 Span<const Kernel> kernels);
bool registry_has_op_function(const char* name, Span<const TensorMeta> tensors = {});

#endif  // KBENCH_WITH_EXECUTORCH

inline bool check_stack(KernelRuntimeContext& context, Span<EValue*> stack, size_t size) {
  if (stack.size() == size) return true;
  fail(context, Error::InvalidProgram, "another number of arguments than the operator has");
  return false;
}

}  // namespace kbench::kernels

// Declares `variable`, argument `index` of the call, of the type that follows; ends the call where
// it is of another.
#define KBENCH_UNBOX(variable, index, name, ...)                               \
  if (!::kbench::kernels::Unbox<__VA_ARGS__>::can(*stack[index])) {            \
    ::kbench::kernels::fail(context, ::kbench::kernels::Error::InvalidProgram, \
                            "the argument " name " is of another type");       \
    return;                                                                    \
  }                                                                            \
  auto variable = ::kbench::kernels::Unbox<__VA_ARGS__>::from(*stack[index])

#endif  // KBENCH_REGISTRY_H_
