// SPDX-License-Identifier: Apache-2.0
// Arguments of TVM-FFI beside the tensors and numbers of kbench_ffi.h: the reading of kernels'
// other types. The layouts are those of apache-tvm-ffi 0.1 (tvm/ffi/c_api.h).
#ifndef KBENCH_ANY_H_
#define KBENCH_ANY_H_

#include <cstring>
#include <string_view>
#include <vector>

#include "kbench_dlpack.h"

namespace kbench {

// Type indices of Any.
constexpr int32_t kDataType = 5, kDeviceOfAny = 6, kRawString = 8, kSmallString = 11;
constexpr int32_t kStringObject = 65, kShapeObject = 69, kArrayObject = 71, kListObject = 75;

namespace detail {

// Memory behind the header of a string, shape, array or list.
struct Cell {
  const void* data;
  size_t size;
};
inline const Cell& cell_of(const Any& object) {
  return *reinterpret_cast<const Cell*>(static_cast<const char*>(object.as_pointer) +
                                        kObjectHeaderBytes);
}

// Copies a value's bytes into the place of a number.
template <typename T>
T bytes_of(const Any& a) {
  T value;
  std::memcpy(&value, &a.as_int, sizeof value);
  return value;
}

template <>
struct Read<std::string_view> {
  static constexpr const char* name = "a string";
  static bool takes(const Any& a) {
    return a.type_index == kRawString || a.type_index == kSmallString ||
           a.type_index == kStringObject;
  }
  // A short string is part of the argument.
  static std::string_view from(const Any& a) {
    if (a.type_index == kRawString) return static_cast<const char*>(a.as_pointer);
    if (a.type_index == kSmallString) return {reinterpret_cast<const char*>(&a.as_int), a.padding};
    return {static_cast<const char*>(cell_of(a).data), cell_of(a).size};
  }
};

template <>
struct Read<kernels::Scalar> : Read<double> {
  static kernels::Scalar from(const Any& a) {
    if (a.type_index == kBoolean) return a.as_int != 0;
    return a.type_index == kFloat ? kernels::Scalar(a.as_float) : kernels::Scalar(a.as_int);
  }
};

template <>
struct Read<kernels::Device> {
  static constexpr const char* name = "a device, cpu or cuda";
  static bool takes(const Any& a) {
    const int32_t type = bytes_of<Device>(a).type;
    return a.type_index == kDeviceOfAny && (type == 1 || type == 2);
  }
  static kernels::Device from(const Any& a) {  // PyTorch counts them from 0
    const auto device = bytes_of<Device>(a);
    return {static_cast<int8_t>(device.type - 1), static_cast<int8_t>(device.id)};
  }
};

template <>
struct Read<kernels::ScalarType> {
  static constexpr const char* name = "a dtype of theirs";
  static bool takes(const Any& a) {
    return a.type_index == kDataType && kernels::find_element_type(bytes_of<DType>(a)) != nullptr;
  }
  static kernels::ScalarType from(const Any& a) {
    return kernels::find_element_type(bytes_of<DType>(a))->scalar;
  }
};

// TVM-FFI has no memory formats: they are given by the names that PyTorch has for them.
template <>
struct Read<kernels::MemoryFormat> {
  static constexpr const char* name = "the name of a memory format (\"channels_last\")";
  static bool takes(const Any& a) { return number_of(a) >= 0; }
  static kernels::MemoryFormat from(const Any& a) {
    return static_cast<kernels::MemoryFormat>(number_of(a));
  }

 private:
  static int number_of(const Any& a) {
    constexpr std::string_view names[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};
    if (!Read<std::string_view>::takes(a)) return -1;
    for (int i = 0; i < 4; ++i) {
      if (names[i] == Read<std::string_view>::from(a)) return i;
    }
    return -1;
  }
};

// Values in a list.
class Items {
 public:
  Items(const Any* first, size_t count) : first_(first), count_(count) {}
  explicit Items(std::vector<Any> own)
      : own_(std::move(own)), first_(own_.data()), count_(own_.size()) {}
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;
  const Any* begin() const { return first_; }
  const Any* end() const { return first_ + count_; }

 private:
  std::vector<Any> own_;
  const Any* first_;
  size_t count_;
};

template <>
struct Read<Items> {
  static constexpr const char* name = "a list";
  static bool takes(const Any& a) {
    return a.type_index == kArrayObject || a.type_index == kListObject ||
           a.type_index == kShapeObject;
  }
  static Items from(const Any& a) {
    const Cell& cell = cell_of(a);
    if (a.type_index != kShapeObject) return {static_cast<const Any*>(cell.data), cell.size};
    std::vector<Any> lengths;
    for (size_t i = 0; i < cell.size; ++i)
      lengths.push_back({kInt, 0, {static_cast<const int64_t*>(cell.data)[i]}});
    return Items(std::move(lengths));
  }
};

}  // namespace detail

// Returns "a string": a message's words for a value of a wrong kind.
inline const char* kind_of(const Any& a) {
  if (detail::Read<std::string_view>::takes(a)) return "a string";
  if (detail::Read<detail::Items>::takes(a)) return "a list";
  if (a.type_index == kDataType) return "another dtype";
  return a.type_index == kDeviceOfAny ? "another device" : detail::name_of(a);
}

}  // namespace kbench

#endif  // KBENCH_ANY_H_
