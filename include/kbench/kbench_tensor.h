// SPDX-License-Identifier: Apache-2.0
// Tensors, numbers and lists that kernels are given where ExecuTorch's headers are not there.
// Include kbench_kernel.h, which chooses.
#ifndef KBENCH_TENSOR_H_
#define KBENCH_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace kbench::kernels {

constexpr int kMaxDims = 16;

// Element types by PyTorch's numbers (c10/core/ScalarType.h).
enum class ScalarType : int8_t {
  Byte = 0,
  Char = 1,
  Short = 2,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  ComplexHalf = 8,
  ComplexFloat = 9,
  ComplexDouble = 10,
  Bool = 11,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  BFloat16 = 15,
  QUInt4x2 = 16,
  QUInt2x4 = 17,
  Bits1x8 = 18,
  Bits2x4 = 19,
  Bits4x2 = 20,
  Bits8 = 21,
  Bits16 = 22,
  Float8_e5m2 = 23,
  Float8_e4m3fn = 24,
  Float8_e5m2fnuz = 25,
  Float8_e4m3fnuz = 26,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29
};

// Returns the bytes of an element, 0 for no element type.
constexpr size_t element_size(ScalarType type) {
  constexpr uint8_t sizes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                               2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1,  1, 2, 4, 8};
  const auto code = static_cast<int>(type);
  return code < 0 || code >= static_cast<int>(sizeof sizes) ? 0 : sizes[code];
}

enum class MemoryFormat : int8_t {
  Contiguous = 0,
  Preserve = 1,
  ChannelsLast = 2,
  ChannelsLast3d = 3
};

struct Device {
  int8_t type = 0;  // PyTorch's number: 0 is the CPU, 1 CUDA
  int8_t index = -1;
};

// IEEE binary16. Conversions round to nearest, ties to even.
struct Half {
  uint16_t x = 0;
  Half() = default;
  Half(float value) : x(static_cast<uint16_t>(bits(static_cast<_Float16>(value)))) {}
  operator float() const {
    _Float16 value;
    std::memcpy(&value, &x, sizeof value);
    return static_cast<float>(value);
  }

 private:
  static uint16_t bits(_Float16 value) {
    uint16_t out;
    std::memcpy(&out, &value, sizeof out);
    return out;
  }
};

// Upper half of an IEEE binary32. Conversions round to nearest, ties to even.
struct BFloat16 {
  uint16_t x = 0;
  BFloat16() = default;
  BFloat16(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const bool is_nan = value != value;
    x = static_cast<uint16_t>(is_nan ? 0x7fc0 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
  operator float() const {
    const uint32_t bits = static_cast<uint32_t>(x) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
};

// Errors by ExecuTorch's numbers (runtime/core/error.h).
enum class Error : uint32_t {
  Ok = 0x00,
  Internal = 0x01,
  InvalidState = 0x02,
  NotSupported = 0x10,
  NotImplemented = 0x11,
  InvalidArgument = 0x12,
  InvalidType = 0x13,
  OperatorMissing = 0x14,
  RegistrationExceedingMaxKernels = 0x15,
  RegistrationAlreadyRegistered = 0x16,
  NotFound = 0x20,
  MemoryAllocationFailed = 0x21,
  InvalidProgram = 0x23,
};

// Returns PyTorch's name.
inline const char* name_of(ScalarType type) {
  constexpr const char* names[] = {"Byte",
                                   "Char",
                                   "Short",
                                   "Int",
                                   "Long",
                                   "Half",
                                   "Float",
                                   "Double",
                                   "ComplexHalf",
                                   "ComplexFloat",
                                   "ComplexDouble",
                                   "Bool",
                                   "QInt8",
                                   "QUInt8",
                                   "QInt32",
                                   "BFloat16",
                                   "QUInt4x2",
                                   "QUInt2x4",
                                   "Bits1x8",
                                   "Bits2x4",
                                   "Bits4x2",
                                   "Bits8",
                                   "Bits16",
                                   "Float8_e5m2",
                                   "Float8_e4m3fn",
                                   "Float8_e5m2fnuz",
                                   "Float8_e4m3fnuz",
                                   "UInt16",
                                   "UInt32",
                                   "UInt64"};
  const auto code = static_cast<size_t>(type);
  return code < std::size(names) ? names[code] : "another type";
}

inline const char* name_of(Error error) {
  switch (error) {
    case Error::InvalidArgument:
      return "InvalidArgument";
    case Error::InvalidType:
      return "InvalidType";
    case Error::NotSupported:
      return "NotSupported";
    case Error::NotImplemented:
      return "NotImplemented";
    case Error::OperatorMissing:
      return "OperatorMissing";
    case Error::NotFound:
      return "NotFound";
    case Error::MemoryAllocationFailed:
      return "MemoryAllocationFailed";
    case Error::InvalidState:
      return "InvalidState";
    default:
      return "Internal";
  }
}

// View of values that somebody else owns.
template <typename T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr Span(T (&array)[N]) : data_(array), size_(N) {}
  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// List argument: a view of constant values.
template <typename T>
class ArrayRef {
 public:
  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  template <size_t N>
  constexpr ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  constexpr const T& at(size_t i) const { return data_[i]; }
  constexpr const T& front() const { return data_[0]; }
  constexpr const T& back() const { return data_[size_ - 1]; }
  constexpr ArrayRef slice(size_t begin, size_t count) const { return {data_ + begin, count}; }
  constexpr bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

using SizesType = int64_t;
using StridesType = int64_t;
using DimOrderType = uint8_t;

// Number of a type that is known when it runs.
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  Scalar(bool value) : kind_(Kind::boolean) { value_.integer = value ? 1 : 0; }
  Scalar(double value) : kind_(Kind::floating) { value_.floating = value; }
  template <typename T,
            std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Scalar(T value) : kind_(Kind::integer) {
    value_.integer = static_cast<int64_t>(value);
  }
  template <typename T>
  T to() const {
    if (kind_ == Kind::floating) return static_cast<T>(value_.floating);
    return static_cast<T>(value_.integer);
  }
  bool isIntegral(bool include_bool) const {
    return kind_ == Kind::integer || (include_bool && isBoolean());
  }
  bool isFloatingPoint() const { return kind_ == Kind::floating; }
  bool isBoolean() const { return kind_ == Kind::boolean; }

 private:
  enum class Kind : uint8_t { boolean, integer, floating } kind_;
  union {
    int64_t integer;
    double floating;
  } value_;
};

// Shape of a tensor, its place in memory, and how it may grow. The memory belongs to the caller.
struct TensorImpl {
  // Gives an output memory when it needs more than `capacity` bytes; nullptr: there is no more.
  using Grow = void* (*)(void* owner, size_t bytes);

  void* data = nullptr;
  size_t capacity = 0;  // bytes of `data` that may be written
  ScalarType type = ScalarType::Float;
  bool is_resizable = false;
  int dim = 0;
  SizesType sizes[kMaxDims] = {};
  StridesType strides[kMaxDims] = {};     // counted in elements
  DimOrderType dim_order[kMaxDims] = {};  // outermost dimension to innermost
  Grow grow = nullptr;
  void* owner = nullptr;

  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < dim; ++i) n *= sizes[i];
    return n;
  }
  // Sets the strides of a dense tensor of these sizes and this dim order.
  void set_dense_strides() {
    StridesType stride = 1;
    for (int i = dim - 1; i >= 0; --i) {
      strides[dim_order[i]] = stride;
      stride *= sizes[dim_order[i]] > 0 ? sizes[dim_order[i]] : 1;
    }
  }
};

// Handle: copies of it are the same tensor.
class Tensor {
 public:
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}
  int64_t dim() const { return impl_->dim; }
  int64_t size(int64_t dim) const { return impl_->sizes[dim < 0 ? dim + impl_->dim : dim]; }
  int64_t numel() const { return impl_->numel(); }
  size_t nbytes() const { return static_cast<size_t>(numel() * element_size()); }
  int64_t element_size() const { return static_cast<int64_t>(kernels::element_size(impl_->type)); }
  ScalarType scalar_type() const { return impl_->type; }
  ScalarType dtype() const { return impl_->type; }
  ArrayRef<SizesType> sizes() const { return {impl_->sizes, static_cast<size_t>(impl_->dim)}; }
  ArrayRef<StridesType> strides() const {
    return {impl_->strides, static_cast<size_t>(impl_->dim)};
  }
  ArrayRef<DimOrderType> dim_order() const {
    return {impl_->dim_order, static_cast<size_t>(impl_->dim)};
  }
  const void* const_data_ptr() const { return impl_->data; }
  void* mutable_data_ptr() const { return impl_->data; }
  template <typename T>
  const T* const_data_ptr() const {
    return static_cast<const T*>(impl_->data);
  }
  template <typename T>
  T* mutable_data_ptr() const {
    return static_cast<T*>(impl_->data);
  }
  template <typename T>
  T* data_ptr() const {
    return static_cast<T*>(impl_->data);
  }
  TensorImpl* unsafeGetTensorImpl() const { return impl_; }

 private:
  TensorImpl* impl_;
};
using TensorList = ArrayRef<Tensor>;

// Computes the bytes of a tensor of these sizes. False for sizes that no tensor has.
inline bool bytes_of(ScalarType type, ArrayRef<SizesType> sizes, size_t& bytes) {
  bytes = element_size(type);
  for (const SizesType size : sizes) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) return false;
  }
  return sizes.size() <= kMaxDims;
}

inline bool has_sizes(const TensorImpl& impl, ArrayRef<SizesType> sizes) {
  if (static_cast<size_t>(impl.dim) != sizes.size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (impl.sizes[i] != sizes[i]) return false;
  }
  return true;
}

// Gives an output the sizes that its values need. InvalidArgument where it has other sizes and may
// not change them, MemoryAllocationFailed where its memory is too small. The dim order stays; a
// tensor whose rank changes becomes contiguous.
inline Error resize_tensor(Tensor tensor, ArrayRef<SizesType> sizes) {
  TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  if (has_sizes(impl, sizes)) return Error::Ok;
  size_t bytes = 0;
  if (!impl.is_resizable || !bytes_of(impl.type, sizes, bytes)) return Error::InvalidArgument;
  if (bytes > impl.capacity) {
    void* const data = impl.grow == nullptr ? nullptr : impl.grow(impl.owner, bytes);
    if (data == nullptr) return Error::MemoryAllocationFailed;
    impl.data = data;
    impl.capacity = bytes;
  }
  if (static_cast<size_t>(impl.dim) != sizes.size()) {
    impl.dim = static_cast<int>(sizes.size());
    for (int i = 0; i < impl.dim; ++i) impl.dim_order[i] = static_cast<DimOrderType>(i);
  }
  for (int i = 0; i < impl.dim; ++i) impl.sizes[i] = sizes[static_cast<size_t>(i)];
  impl.set_dense_strides();
  return Error::Ok;
}

}  // namespace kbench::kernels

#endif  // KBENCH_TENSOR_H_
