// SPDX-License-Identifier: Apache-2.0
// The sum of each row, and the running sum along it.
#include "kbench_ffi.h"
#include "numbers.h"

namespace {

void row_sum(kbench::Tensor x, kbench::Tensor out) {
  const int64_t n = x.size(1);
  const bool known = with_element_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    for (int64_t r = 0; r < x.size(0); ++r) {
      float sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += to_float(x.data<T>()[r * n + i]);
      out.data<float>()[r] = sum;
    }
  });
  KBENCH_CHECK(known, "row_sum: unsupported dtype");
}

void cumsum(kbench::Tensor x, kbench::Tensor out) {
  const int64_t n = x.size(1);
  for (int64_t r = 0; r < x.size(0); ++r) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
      out.data<float>()[r * n + i] = static_cast<float>(sum += x.data<float>()[r * n + i]);
  }
}

}  // namespace

KBENCH_EXPORT(row_sum, row_sum)
KBENCH_EXPORT(cumsum, cumsum)
