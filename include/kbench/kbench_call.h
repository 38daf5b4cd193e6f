// SPDX-License-Identifier: Apache-2.0
// Calls of a kernel of an operator library as a tvm-ffi candidate: "kbench run --kernels" compiles
// this with a library's sources.
#ifndef KBENCH_CALL_H_
#define KBENCH_CALL_H_

#define KBENCH_OWN_RUNTIME
#include <cstdio>
#include <initializer_list>
#include <tuple>

#include "kbench_dispatch.h"
#include "kbench_dlpack.h"

// Null unless the host loaded libtvm_ffi: then it returns the stream that this thread works on.
extern "C" __attribute__((weak)) void* TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);

namespace kbench::kernels {

// Returns a dense tensor in the order of its dimensions; its memory stays where it is.
inline TensorImpl view_of(const kbench::Tensor& tensor) {
  if (tensor.ndim() > kMaxDims) throw kbench::Error{"ValueError", "more than 16 dimensions"};
  const ElementType* const type = find_element_type(tensor.dtype());
  if (type == nullptr)
    throw kbench::Error{"TypeError", "an element type that kernels are not given"};
  TensorImpl impl;
  impl.type = type->scalar;
  impl.dim = tensor.ndim();
  for (int i = 0; i < impl.dim; ++i) {
    impl.sizes[i] = tensor.size(i);
    impl.dim_order[i] = static_cast<DimOrderType>(i);
  }
  impl.set_dense_strides();
  impl.data = tensor.data<char>();
  impl.capacity = static_cast<size_t>(impl.numel()) * element_size(impl.type);
  return impl;
}

[[noreturn]] inline void raise(const char* kind, const char* format, const char* a, const char* b,
                               const char* c) {
  static thread_local char text[512];  // outlives the call
  std::snprintf(text, sizeof text, format, a, b, c);
  throw kbench::Error{kind, text};
}

[[noreturn]] inline void refuse(const char* format, const char* a, const char* b = "",
                                const char* c = "") {
  raise("KernelError", format, a, b, c);
}

// Ends the call with the context's error. The judge knows a kernel that serves no such call by the
// kind.
[[noreturn]] inline void refuse_as(const KernelRuntimeContext& context, const char* op) {
  const Error error = context.failure_state();
  const bool is_unsupported = error == Error::NotSupported || error == Error::NotImplemented;
  raise(is_unsupported ? "NotImplementedError" : "KernelError", "%s: %s: %s", op, name_of(error),
        context.message());
}

// Tells whether a kernel returned the outputs that it was given.
inline bool returns(const Tensor& result, std::initializer_list<const Tensor*> outputs) {
  return result.unsafeGetTensorImpl() == (*outputs.begin())->unsafeGetTensorImpl();
}
template <typename... T>
bool returns(const std::tuple<T...>& results, std::initializer_list<const Tensor*> outputs) {
  const Tensor* const* output = outputs.begin();
  return std::apply([&](const auto&... each) { return (returns(each, {*output++}) && ...); },
                    results);
}

// Tensors of a call: those of the Definition, inputs first. A kernel is a function of them that
// says whether it returned its outputs.
struct Tensors {
  TensorImpl* all;
  size_t inputs;
  size_t count;
  const int8_t (*axes)[kMaxDims];  // [tensor][dimension]: axis of the Definition
  const bool* is_free;             // [axis]: whether it may have any length, whatever others have
  const DimOrderType (*orders)[kMaxDims];  // [tensor]: its dim order, if the kernel is for certain
                                           // dim orders
  const char* const* names;                // [tensor]: the Definition's name for it
  kbench::Device device;
};

constexpr int32_t kCuda = 2;  // DLPack's number for the device type

// Sets the stream of a kernel for a GPU to the one that the host works on.
inline void set_stream(KernelRuntimeContext& context, const Tensors& tensors) {
  if (tensors.device.type == kCuda && TVMFFIEnvGetStream != nullptr)
    context.set_stream(TVMFFIEnvGetStream(kCuda, tensors.device.id));
}

// Call with unchanged tensors.
class PlainCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    KernelRuntimeContext context(tensors.device.type == kCuda ? Scratch::none : Scratch::heap);
    set_stream(context, tensors);
    const bool is_same = kernel(context, tensors.all);
    if (context.failure_state() != Error::Ok) refuse_as(context, op);
    if (!is_same) refuse("%s returned another tensor than the output that it was given", op);
  }
};

}  // namespace kbench::kernels

#endif  // KBENCH_CALL_H_
