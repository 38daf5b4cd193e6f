// SPDX-License-Identifier: Apache-2.0
// Elements that are moved as they are: only their width matters.
#ifndef KBENCH_CPU_COPY_H_
#define KBENCH_CPU_COPY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "walk.h"

namespace kbench_cpu {

template <size_t width>
void copy_elements(const Walk<2>& walk, char* to, const char* from) {
  constexpr auto bytes = static_cast<int64_t>(width);
  walk.for_each_run([&](const Offsets<2>& at, int64_t n, const Offsets<2>& step) {
    char* const y = to + at.of[0] * bytes;
    const char* const x = from + at.of[1] * bytes;
    if (step.of[0] == 1 && step.of[1] == 1) {
      std::memcpy(y, x, static_cast<size_t>(n) * width);
    } else {
      const int64_t into = step.of[0] * bytes, out_of = step.of[1] * bytes;
      for (int64_t i = 0; i < n; ++i) std::memcpy(y + i * into, x + i * out_of, width);
    }
  });
}

// The first tensor of `walk` is written, the second one read.
inline void copy(const Walk<2>& walk, char* to, const char* from, int64_t width) {
  if (width == 1) return copy_elements<1>(walk, to, from);
  if (width == 2) return copy_elements<2>(walk, to, from);
  if (width == 4) return copy_elements<4>(walk, to, from);
  copy_elements<8>(walk, to, from);
}

inline const char* bytes_of(const Tensor& tensor) {
  return static_cast<const char*>(tensor.const_data_ptr());
}
inline char* bytes_to(Tensor& tensor) { return static_cast<char*>(tensor.mutable_data_ptr()); }

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_COPY_H_
