// SPDX-License-Identifier: Apache-2.0
// Sixteen floats at a time with AVX-512. A function that uses these is marked KBENCH_CPU_AVX512, so
// that a library has it beside code for any x86-64; kernels with "_avx512" in their name run on
// processors that have it (kbench.yaml says so).
#ifndef KBENCH_CPU_SIMD_H_
#define KBENCH_CPU_SIMD_H_
#if defined(__x86_64__)

// GCC takes the undefined vectors in its own header for mistakes of whoever calls it (bug 105593).
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <cstdint>

#include "kbench_kernel.h"

#define KBENCH_CPU_AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,fma")))
#define KBENCH_CPU_INLINE KBENCH_CPU_AVX512 __attribute__((always_inline)) inline

namespace kbench_cpu::avx512 {

constexpr int64_t kLanes = 16;
constexpr __mmask16 kAll = 0xffff;

// The lanes that `n` elements fill: all of them from 16 on, none below 1.
KBENCH_CPU_INLINE __mmask16 first(int64_t n) {
  if (n >= kLanes) return kAll;
  return static_cast<__mmask16>(n > 0 ? (1U << n) - 1 : 0U);
}

// Lanes outside of the mask are 0, and their memory is not read.
KBENCH_CPU_INLINE __m512 load(const float* from, __mmask16 mask = kAll) {
  return _mm512_maskz_loadu_ps(mask, from);
}
KBENCH_CPU_INLINE __m512 load(const kbench::kernels::BFloat16* from, __mmask16 mask = kAll) {
  const __m512i wide = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

KBENCH_CPU_INLINE void store(float* to, __m512 value, __mmask16 mask = kAll) {
  _mm512_mask_storeu_ps(to, mask, value);
}
// To nearest, ties to even; every NaN is the one of positive sign and no payload.
KBENCH_CPU_INLINE void store(kbench::kernels::BFloat16* to, __m512 value, __mmask16 mask = kAll) {
  const __m512i bits = _mm512_castps_si512(value);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i bias = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  const __m512i upper = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16);
  const __mmask16 is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
  const __m512i kept = _mm512_mask_blend_epi32(is_nan, upper, _mm512_set1_epi32(0x7fc0));
  _mm256_mask_storeu_epi16(to, mask, _mm512_cvtepi32_epi16(kept));
}

// e^x to about 1 ulp: x = n ln 2 + r with |r| <= ln 2 / 2, and r's series. What is far outside of a
// float's range is cut before, which changes no result; a NaN passes, as the second operand of
// minima and maxima does.
KBENCH_CPU_INLINE __m512 exp(__m512 x) {
  x = _mm512_max_ps(_mm512_set1_ps(-160.0F), _mm512_min_ps(_mm512_set1_ps(160.0F), x));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504F)), 0);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693147182F), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-1.90465421e-9F), r);  // ln 2 less the float above
  __m512 sum = _mm512_set1_ps(1.0F / 5040);
  sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(1.0F / 720));
  sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(1.0F / 120));
  sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(1.0F / 24));
  sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(1.0F / 6));
  sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(0.5F));
  sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(1.0F));
  sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(1.0F));
  return _mm512_scalef_ps(sum, n);
}

// The sum of op(x) over n floats, in 64 parts.
template <typename Op>
KBENCH_CPU_INLINE float sum(const float* x, int64_t n, Op op) {
  __m512 parts[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(),
                     _mm512_setzero_ps()};
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    parts[0] = _mm512_add_ps(parts[0], op(load(x + i)));
    parts[1] = _mm512_add_ps(parts[1], op(load(x + i + kLanes)));
    parts[2] = _mm512_add_ps(parts[2], op(load(x + i + 2 * kLanes)));
    parts[3] = _mm512_add_ps(parts[3], op(load(x + i + 3 * kLanes)));
  }
  for (; i < n; i += kLanes) {
    const __mmask16 mask = first(n - i);
    parts[0] = _mm512_mask_add_ps(parts[0], mask, parts[0], op(load(x + i, mask)));
  }
  return _mm512_reduce_add_ps(
      _mm512_add_ps(_mm512_add_ps(parts[0], parts[1]), _mm512_add_ps(parts[2], parts[3])));
}

// y = op(x), n elements.
template <typename T, typename Op>
KBENCH_CPU_INLINE void map(const T* x, T* y, int64_t n, Op op) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, op(load(x + i)));
  if (i < n) store(y + i, op(load(x + i, first(n - i))), first(n - i));
}

// y = op(a, b).
template <typename T, typename Op>
KBENCH_CPU_INLINE void map(const T* a, const T* b, T* y, int64_t n, Op op) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, op(load(a + i), load(b + i)));
  const __mmask16 mask = first(n - i);
  if (i < n) store(y + i, op(load(a + i, mask), load(b + i, mask)), mask);
}

}  // namespace kbench_cpu::avx512

#endif  // defined(__x86_64__)
#endif  // KBENCH_CPU_SIMD_H_
