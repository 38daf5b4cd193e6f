// SPDX-License-Identifier: Apache-2.0
// The sum of each row (four vector accumulators) and the running sum along it (a prefix sum inside
// the vector plus a carry). Rows are shared out among threads.
#include "kbench_ffi.h"
#include "simd.h"

#define KB_KERNEL "reduction.inc"
#include "levels.h"

namespace {

using RowSum = float (*)(const void*, int64_t);

RowSum row_sum_for(kbench::DType dtype) {
  if (dtype == kbench::kBFloat16) return KB_PICK(row_sum<BF16>);
  if (dtype == kbench::kFloat16) return KB_PICK(row_sum<F16>);
  KBENCH_CHECK(dtype == kbench::kFloat32, "row_sum: unsupported dtype");
  return KB_PICK(row_sum<float>);
}

void sum_rows(kbench::Tensor x, kbench::Tensor out) {
  KBENCH_CHECK(x.contiguous(), "row_sum: the input must be contiguous");
  const int64_t n = x.size(1), bytes = x.dtype().bits / 8;
  const RowSum sum = row_sum_for(x.dtype());
  parallel(x.size(0), 1 + 65536 / n, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      out.data<float>()[r] = sum(x.data<char>() + r * n * bytes, n);
  });
}

void cumsum(kbench::Tensor x, kbench::Tensor out) {
  KBENCH_CHECK(x.dtype() == kbench::kFloat32 && x.contiguous() && out.contiguous(),
               "cumsum: tensors must be contiguous float32");
  const int64_t n = x.size(1);
  const auto row = KB_PICK(row_cumsum);
  parallel(x.size(0), 1 + 16384 / n, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      row(x.data<float>() + r * n, out.data<float>() + r * n, n);
  });
}

}  // namespace

KBENCH_EXPORT(row_sum, sum_rows)
KBENCH_EXPORT(cumsum, cumsum)
