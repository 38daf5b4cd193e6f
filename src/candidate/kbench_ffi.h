// SPDX-License-Identifier: Apache-2.0
// The tvm-ffi calling convention for a CPU kernel in one header with no dependency: the symbol that
// KBENCH_EXPORT emits is what kbench, FlashInfer-Bench and any other tvm-ffi host looks up. The
// structs repeat the binary layout of DLPack 1.x (DLTensor) and of apache-tvm-ffi 0.1 (TVMFFIAny,
// https://tvm.apache.org/ffi). C++17; compiles in a tenth of the time of the template headers.
//
//   #include "kbench_ffi.h"
//   void scale(kbench::Tensor x, double factor, kbench::Tensor out) {
//     KBENCH_CHECK(x.dtype() == kbench::kFloat32, "x must be float32");
//     for (int64_t i = 0; i < x.numel(); ++i) out.data<float>()[i] = x.data<float>()[i] * factor;
//   }
//   KBENCH_EXPORT(run, scale)   // entry_point "kernel.cpp::run"
#ifndef KBENCH_FFI_H_
#define KBENCH_FFI_H_

#include <cstddef>
#include <cstdint>

// Null unless the host loaded libtvm_ffi: then a raised error reaches it with its text.
extern "C" __attribute__((weak)) void TVMFFIErrorSetRaisedFromCStr(const char* kind,
                                                                   const char* message);

namespace kbench {

// An element type as DLPack writes it: kind of number, bits, lanes (1 unless packed).
struct DType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  friend constexpr bool operator==(DType a, DType b) {
    return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
  }
  friend constexpr bool operator!=(DType a, DType b) { return !(a == b); }
};
constexpr DType kInt8{0, 8, 1}, kInt16{0, 16, 1}, kInt32{0, 32, 1}, kInt64{0, 64, 1};
constexpr DType kFloat16{2, 16, 1}, kFloat32{2, 32, 1}, kFloat64{2, 64, 1}, kBFloat16{4, 16, 1};
constexpr DType kBool{6, 8, 1}, kFloat8E4M3{10, 8, 1}, kFloat8E5M2{12, 8, 1};

struct Device {
  int32_t type;  // 1 = CPU
  int32_t id;
};

struct DLTensor {
  void* data;
  Device device;
  int32_t ndim;
  DType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null means contiguous
  uint64_t byte_offset;
};

// One argument or result: 16 bytes, the type index says which member holds.
struct Any {
  int32_t type_index;
  uint32_t padding;
  union {
    int64_t as_int;
    double as_float;
    void* as_pointer;
  };
};
static_assert(sizeof(DLTensor) == 48 && sizeof(Any) == 16, "the binary layout of the host");

// Type indices of Any.
constexpr int32_t kNone = 0, kInt = 1, kBoolean = 2, kFloat = 3, kDLTensor = 7;
constexpr int32_t kTensorObject = 70;  // a counted object: its header, then a DLTensor
constexpr size_t kObjectHeaderBytes = 24;

// What a kernel throws to refuse its arguments; both texts must outlive the call.
struct Error {
  const char* kind;
  const char* message;
};

// A view of a tensor argument; the memory belongs to the host.
class Tensor {
 public:
  explicit Tensor(const DLTensor* tensor) : tensor_(tensor) {}
  int ndim() const { return tensor_->ndim; }
  DType dtype() const { return tensor_->dtype; }
  Device device() const { return tensor_->device; }
  int64_t size(int dim) const { return tensor_->shape[dim < 0 ? dim + ndim() : dim]; }
  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < ndim(); ++i) n *= tensor_->shape[i];
    return n;
  }
  int64_t stride(int dim) const {
    if (dim < 0) dim += ndim();
    if (tensor_->strides != nullptr) return tensor_->strides[dim];
    int64_t n = 1;
    for (int i = ndim() - 1; i > dim; --i) n *= tensor_->shape[i];
    return n;
  }
  bool contiguous() const {
    int64_t expected = 1;
    for (int i = ndim() - 1; i >= 0; --i) {
      if (size(i) != 1 && stride(i) != expected) return false;
      expected *= size(i);
    }
    return true;
  }
  template <typename T>
  T* data() const {
    return reinterpret_cast<T*>(static_cast<char*>(tensor_->data) + tensor_->byte_offset);
  }

 private:
  const DLTensor* tensor_;
};

namespace detail {

template <typename T>
struct Read;  // how an argument of the kernel's parameter type T is read from an Any

template <>
struct Read<Tensor> {
  static Tensor from(const Any& a) {
    if (a.type_index == kDLTensor) return Tensor(static_cast<const DLTensor*>(a.as_pointer));
    if (a.type_index != kTensorObject) throw Error{"TypeError", "expected a tensor argument"};
    const char* object = static_cast<const char*>(a.as_pointer);
    return Tensor(reinterpret_cast<const DLTensor*>(object + kObjectHeaderBytes));
  }
};
template <>
struct Read<int64_t> {
  static int64_t from(const Any& a) {
    if (a.type_index != kInt && a.type_index != kBoolean)
      throw Error{"TypeError", "expected an integer argument"};
    return a.as_int;
  }
};
template <>
struct Read<bool> {
  static bool from(const Any& a) { return Read<int64_t>::from(a) != 0; }
};
template <>
struct Read<double> {
  static double from(const Any& a) {
    if (a.type_index == kFloat) return a.as_float;
    if (a.type_index != kInt && a.type_index != kBoolean)
      throw Error{"TypeError", "expected a number argument"};
    return static_cast<double>(a.as_int);
  }
};

template <int... I>
struct Indices {};
template <int N, int... I>
struct Count : Count<N - 1, N - 1, I...> {};
template <int... I>
struct Count<0, I...> {
  using type = Indices<I...>;
};

template <typename... Args, int... I>
void apply(void (*kernel)(Args...), const Any* args, Indices<I...>) {
  kernel(Read<Args>::from(args[I])...);
}

inline int raise(const Error& error) {
  if (TVMFFIErrorSetRaisedFromCStr != nullptr)
    TVMFFIErrorSetRaisedFromCStr(error.kind, error.message);
  return -1;
}

template <typename... Args>
int call(void (*kernel)(Args...), const Any* args, int32_t num_args, Any* result) {
  try {
    if (num_args != static_cast<int32_t>(sizeof...(Args)))
      throw Error{"TypeError", "wrong number of arguments: inputs in order, then outputs"};
    apply(kernel, args, typename Count<sizeof...(Args)>::type{});
    *result = Any{kNone, 0, {0}};
    return 0;
  } catch (const Error& error) {
    return raise(error);
  } catch (...) {
    return raise({"RuntimeError", "the kernel threw a C++ exception"});
  }
}

}  // namespace detail
}  // namespace kbench

// Refuses the call with a text when `condition` does not hold.
#define KBENCH_CHECK(condition, message)    \
  if (!(condition)) throw ::kbench::Error { \
      "ValueError", message                 \
    }

// Exports `kernel`, a function from Tensor, int64_t, double and bool to void, under `name`.
#define KBENCH_EXPORT(name, kernel)                                                \
  extern "C" __attribute__((visibility("default"))) int __tvm_ffi_##name(          \
      void*, const ::kbench::Any* args, int32_t num_args, ::kbench::Any* result) { \
    return ::kbench::detail::call(kernel, args, num_args, result);                 \
  }

#endif  // KBENCH_FFI_H_
