// SPDX-License-Identifier: Apache-2.0
// Vocabulary of a kernel in an operator library: tensors, scalars, lists, errors and the context of
// a call. Where ExecuTorch's own headers are on the include path these names are its types, so the
// same source builds for both; else the types below are used, which need nothing but C++17. Define
// KBENCH_OWN_RUNTIME to use these in any case. Source of the interface: ExecuTorch,
// runtime/kernel/kernel_includes.h.
//
//   #include "kbench_kernel.h"
//   namespace mylib::native {
//   using namespace kbench::kernels;
//   Tensor& neg_out(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
//     KBENCH_KERNEL_CHECK(context, self.scalar_type() == ScalarType::Float, InvalidArgument, out,
//                         "self must be Float");
//     …
//   }
//   }  // namespace mylib::native
#ifndef KBENCH_KERNEL_H_
#define KBENCH_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

// Header that only ExecuTorch has: kernel_includes.h may be kbench's.
#if !defined(KBENCH_OWN_RUNTIME) && __has_include(<executorch/runtime/kernel/operator_registry.h>)
#define KBENCH_WITH_EXECUTORCH 1
#include <executorch/runtime/kernel/kernel_includes.h>
#else
#define KBENCH_WITH_EXECUTORCH 0
#endif

#if KBENCH_WITH_EXECUTORCH

namespace kbench::kernels {
using executorch::aten::ArrayRef;
using executorch::aten::BFloat16;
using executorch::aten::Device;
using executorch::aten::DimOrderType;
using executorch::aten::Half;
using executorch::aten::MemoryFormat;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorList;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::resize_tensor;
using executorch::runtime::Span;

inline void fail(KernelRuntimeContext& context, Error error, const char* message) {
  ET_LOG(Error, "%s", message);
  context.fail(error);
}
}  // namespace kbench::kernels

#else

#include "kbench_tensor.h"

namespace kbench::kernels {

// Value, or the reason why there is none.
template <typename T>
class Result {
 public:
  Result(Error error) : error_(error) {}
  Result(T value) : value_(value) {}
  bool ok() const { return error_ == Error::Ok; }
  Error error() const { return error_; }
  const T& get() const { return value_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_ = {};
  Error error_ = Error::Ok;
};

// Source of scratch memory beside a given place.
enum class Scratch { none, heap };

// Context of one call of a kernel: its failure, and its scratch memory.
class KernelRuntimeContext {
 public:
  // The heap gives a kernel as much as it asks for, until the context ends.
  explicit KernelRuntimeContext(Scratch scratch = Scratch::none)
      : is_on_heap_(scratch == Scratch::heap) {}
  // `scratch` is given away from its beginning, and again in the next call.
  KernelRuntimeContext(void* scratch, size_t bytes)
      : scratch_(static_cast<char*>(scratch)), scratch_bytes_(bytes) {}

  void fail(Error error, const char* message = "") {
    error_ = error;
    message_ = message;
  }
  Error failure_state() const { return error_; }
  const char* message() const { return message_; }

  // Returns NotFound where the caller has no scratch memory, MemoryAllocationFailed where it has
  // too little.
  Result<void*> allocate_temp(size_t size, size_t alignment = alignof(std::max_align_t)) {
    if (is_on_heap_ && !take_from_heap(size, alignment)) return Error::MemoryAllocationFailed;
    if (scratch_ == nullptr) return Error::NotFound;
    const auto address = reinterpret_cast<uintptr_t>(scratch_) + used_;
    const size_t padding = (alignment - address % alignment) % alignment;
    if (padding > scratch_bytes_ - used_ || size > scratch_bytes_ - used_ - padding)
      return Error::MemoryAllocationFailed;
    used_ += padding + size;
    return static_cast<void*>(scratch_ + used_ - size);
  }

  // Returns the CUDA stream of a call on a GPU (cudaStream_t); nullptr is the default one.
  void* stream() const { return stream_; }
  void set_stream(void* stream) { stream_ = stream; }

 private:
  // Allocates a piece of its own for each request.
  bool take_from_heap(size_t size, size_t alignment) {
    if (size > SIZE_MAX - alignment) return false;
    pieces_.emplace_back(new (std::nothrow) char[size + alignment]);
    scratch_ = pieces_.back().get();
    scratch_bytes_ = size + alignment;
    used_ = 0;
    return scratch_ != nullptr;
  }

  Error error_ = Error::Ok;
  const char* message_ = "";
  bool is_on_heap_ = false;
  std::vector<std::unique_ptr<char[]> > pieces_;
  char* scratch_ = nullptr;
  size_t scratch_bytes_ = 0;
  size_t used_ = 0;
  void* stream_ = nullptr;
};

inline void fail(KernelRuntimeContext& context, Error error, const char* message) {
  context.fail(error, message);
}

}  // namespace kbench::kernels

#endif  // KBENCH_WITH_EXECUTORCH

// Ends a kernel that cannot serve a call: the context gets the error, `result` is returned.
#define KBENCH_KERNEL_CHECK(context, condition, error, result, message)           \
  do {                                                                            \
    if (!(condition)) {                                                           \
      ::kbench::kernels::fail(context, ::kbench::kernels::Error::error, message); \
      return result;                                                              \
    }                                                                             \
  } while (false)

#endif  // KBENCH_KERNEL_H_
