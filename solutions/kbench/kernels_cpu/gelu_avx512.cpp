// SPDX-License-Identifier: Apache-2.0
// gelu of contiguous Float tensors.
#include "kernels.h"
#include "shape.h"
#include "simd.h"

#if defined(__x86_64__)

namespace kbench_cpu {
namespace {

// The normal distribution's upper tail beyond z = |x| is exp(-z^2 / 2) t Q(t) with t = 1 / (1 +
// z/4) and a polynomial Q, fitted at 400 Chebyshev nodes: to 1e-8 of its value, however small that
// is. The rounding error of z^2, which the exponential would magnify, is put back. z is cut where
// the tail is 0: infinity times 0 would be a NaN in the middle.
struct Exact {
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const {
    const __m512 z = _mm512_min_ps(_mm512_set1_ps(40.0F), _mm512_abs_ps(x));
    const __m512 half = _mm512_mul_ps(z, _mm512_set1_ps(-0.5F));
    const __m512 power = _mm512_mul_ps(half, z);
    const __m512 lost = _mm512_fmsub_ps(half, z, power);
    const __m512 scale = avx512::exp(power);
    const __m512 density = _mm512_fmadd_ps(scale, lost, scale);
    const __m512 one = _mm512_set1_ps(1.0F);
    const __m512 t = _mm512_div_ps(one, _mm512_fmadd_ps(z, _mm512_set1_ps(0.25F), one));
    const __m512 tail = _mm512_mul_ps(density, _mm512_mul_ps(t, polynomial(t)));
    const __mmask16 is_above = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ);
    return _mm512_mul_ps(x, _mm512_mask_sub_ps(tail, is_above, one, tail));
  }

  static KBENCH_CPU_INLINE __m512 polynomial(__m512 t) {
    __m512 q = _mm512_set1_ps(0.017486756F);
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(-0.0677830975F));
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0635600478F));
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0122958050F));
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0263829285F));
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0791662207F));
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0746497712F));
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0949326849F));
    q = _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0995648292F));
    return _mm512_fmadd_ps(q, t, _mm512_set1_ps(0.0997440601F));
  }
};

// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u)).
struct ByTanh {
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const {
    const __m512 one = _mm512_set1_ps(1.0F);
    const __m512 square = _mm512_mul_ps(x, x);
    const __m512 bracket = _mm512_fmadd_ps(square, _mm512_set1_ps(0.044715F), one);
    const __m512 power =
        _mm512_mul_ps(_mm512_mul_ps(x, bracket), _mm512_set1_ps(-1.59576912F));  // -2 sqrt(2 / pi)
    return _mm512_mul_ps(x, _mm512_div_ps(one, _mm512_add_ps(one, avx512::exp(power))));
  }
};

KBENCH_CPU_AVX512 void gelu(const Tensor& self, bool by_tanh, Tensor& out) {
  const auto* const x = static_cast<const float*>(self.const_data_ptr());
  auto* const y = static_cast<float*>(out.mutable_data_ptr());
  if (by_tanh) {
    avx512::map(x, y, self.numel(), ByTanh());
  } else {
    avx512::map(x, y, self.numel(), Exact());
  }
}

}  // namespace

namespace native {

Tensor& gelu_out_avx512(KernelRuntimeContext& context, const Tensor& self,
                        std::string_view approximate, Tensor& out) {
  if (approximate != "none" && approximate != "tanh")
    return gelu_out(context, self, approximate, out);
  if (resize(context, out, shape_of(self))) gelu(self, approximate == "tanh", out);
  return out;
}

}  // namespace native
}  // namespace kbench_cpu

#endif  // defined(__x86_64__)
