// SPDX-License-Identifier: Apache-2.0
// _softmax of contiguous Float tensors along their last dimension.
#include <limits>

#include "kernels.h"
#include "shape.h"
#include "simd.h"

#if defined(__x86_64__)

namespace kbench_cpu {
namespace {

// Of numbers; where there is a NaN the result is of no account, the sum of powers is one.
KBENCH_CPU_INLINE float highest_of(const float* x, int64_t n) {
  __m512 highest = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  for (int64_t i = 0; i < n; i += avx512::kLanes) {
    const __mmask16 mask = avx512::first(n - i);
    highest = _mm512_mask_max_ps(highest, mask, highest, avx512::load(x + i, mask));
  }
  return _mm512_reduce_max_ps(highest);
}

struct Power {
  __m512 highest;
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const {
    return avx512::exp(_mm512_sub_ps(x, highest));
  }
};
struct Times {
  __m512 factor;
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const { return _mm512_mul_ps(x, factor); }
};
struct Same {
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const { return x; }
};

KBENCH_CPU_AVX512 void softmax_rows(const float* x, float* y, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; ++row, x += n, y += n) {
    avx512::map(x, y, n, Power{_mm512_set1_ps(highest_of(x, n))});
    const float sum = avx512::sum(y, n, Same());
    avx512::map(y, y, n, Times{_mm512_set1_ps(1 / sum)});
  }
}

}  // namespace

namespace native {

Tensor& softmax_out_avx512(KernelRuntimeContext& context, const Tensor& self, int64_t dim,
                           bool half_to_float, Tensor& out) {
  const bool is_last = self.dim() > 0 && (dim == -1 || dim == self.dim() - 1);
  if (half_to_float || !is_last) return softmax_out(context, self, dim, half_to_float, out);
  if (!resize(context, out, shape_of(self)) || self.numel() == 0) return out;
  const int64_t n = self.size(self.dim() - 1);
  softmax_rows(static_cast<const float*>(self.const_data_ptr()),
               static_cast<float*>(out.mutable_data_ptr()), self.numel() / n, n);
  return out;
}

}  // namespace native
}  // namespace kbench_cpu

#endif  // defined(__x86_64__)
