// SPDX-License-Identifier: Apache-2.0
// Calls of a kernel for each index of axes that it does not know, with the slices of the tensors
// that have them: kbench makes it of `batch_axes` in a sidecar. C++17.
#ifndef KBENCH_BATCH_H_
#define KBENCH_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kbench_ffi.h"

namespace kbench::batch {

using Function = int (*)(void*, const Any*, int32_t, Any*);

// Bit a of an argument's mask: axis a is one of its first axes, which are in the order of the axes.
struct Plan {
  int axes;
  const unsigned* masks;
  int32_t count;
};

inline const DLTensor* tensor_of(const Any& argument) {
  return argument.type_index == kDLTensor
             ? static_cast<const DLTensor*>(argument.as_pointer)
             : reinterpret_cast<const DLTensor*>(static_cast<const char*>(argument.as_pointer) +
                                                 kObjectHeaderBytes);
}

inline int place_of(unsigned mask, int axis) {
  return __builtin_popcount(mask & ((1U << axis) - 1));
}

// Returns the slice of a contiguous tensor at an index of the axes.
inline DLTensor slice_of(const DLTensor& whole, unsigned mask, const int64_t* index, int axes) {
  const int lost = __builtin_popcount(mask);
  int64_t bits = whole.dtype.bits * whole.dtype.lanes;
  for (int i = lost; i < whole.ndim; ++i) bits *= whole.shape[i];
  int64_t number = 0;
  for (int axis = 0; axis < axes; ++axis) {
    if ((mask >> axis & 1U) == 0) continue;
    number = number * whole.shape[place_of(mask, axis)] + index[axis];
  }
  DLTensor slice = whole;
  slice.data = static_cast<char*>(whole.data) + number * bits / 8;
  slice.ndim -= lost;
  slice.shape += lost;
  slice.strides = whole.strides == nullptr ? nullptr : whole.strides + lost;
  return slice;
}

inline std::vector<int64_t> lengths_of(const Plan& plan, const Any* arguments) {
  std::vector<int64_t> lengths(static_cast<size_t>(plan.axes), 0);
  for (int32_t i = 0; i < plan.count; ++i) {
    for (int axis = 0; axis < plan.axes; ++axis) {
      if ((plan.masks[i] >> axis & 1U) != 0)
        lengths[static_cast<size_t>(axis)] =
            tensor_of(arguments[i])->shape[place_of(plan.masks[i], axis)];
    }
  }
  return lengths;
}

// Steps to the next index, the last axis first; false behind the last one.
inline bool advance(std::vector<int64_t>& index, const std::vector<int64_t>& lengths) {
  for (size_t axis = index.size(); axis-- > 0;) {
    if (++index[axis] < lengths[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

// Stops at the first error, which is the kernel's own.
inline int call(Function one, const Plan& plan, const Any* arguments, int32_t count, Any* result) {
  if (count != plan.count) return one(nullptr, arguments, count, result);
  const std::vector<int64_t> lengths = lengths_of(plan, arguments);
  for (const int64_t length : lengths) {
    if (length == 0) return 0;
  }
  std::vector<Any> passed(arguments, arguments + count);
  std::vector<DLTensor> slices(static_cast<size_t>(count));
  std::vector<int64_t> index(lengths.size(), 0);
  do {
    for (int32_t i = 0; i < count; ++i) {
      if (plan.masks[i] == 0) continue;
      DLTensor& slice = slices[static_cast<size_t>(i)];
      slice = slice_of(*tensor_of(arguments[i]), plan.masks[i], index.data(), plan.axes);
      passed[static_cast<size_t>(i)].type_index = kDLTensor;
      passed[static_cast<size_t>(i)].as_pointer = &slice;
    }
    if (const int error = one(nullptr, passed.data(), count, result); error != 0) return error;
  } while (advance(index, lengths));
  return 0;
}

}  // namespace kbench::batch

#define KBENCH_BATCH(name, function, axes, ...)                                                \
  extern "C" __attribute__((visibility("default"))) int __tvm_ffi_##name(                      \
      void*, const ::kbench::Any* args, int32_t num_args, ::kbench::Any* result) {             \
    static constexpr unsigned masks[] = {__VA_ARGS__};                                         \
    return ::kbench::batch::call(&function, {axes, masks, sizeof masks / sizeof *masks}, args, \
                                 num_args, result);                                            \
  }

#endif  // KBENCH_BATCH_H_
