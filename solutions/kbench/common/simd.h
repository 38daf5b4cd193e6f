// SPDX-License-Identifier: Apache-2.0
// One vocabulary of vector operations in three widths: avx512 (16 lanes), avx2 (8) and scalar (1).
// A kernel is a file of function templates over KB_FN and V; including levels.h compiles it once a
// level, and best_level() picks one when it runs. V is the compiler's own vector type, so + - * /
// work on it.
#ifndef KBENCH_SIMD_H_
#define KBENCH_SIMD_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};
struct E4M3 {  // float8_e4m3fn
  uint8_t bits;
};

namespace scalar {
#define KB_FN __attribute__((always_inline)) static inline
using V = float;
constexpr int W = 1;

KB_FN float from_bits(uint32_t u) {
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}
KB_FN uint32_t to_bits(float f) {
  uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}
KB_FN V load(const float* p) { return *p; }
KB_FN V load(const BF16* p) { return from_bits(static_cast<uint32_t>(p->bits) << 16); }
KB_FN V load(const F16* p) {
  // Scaling by 2^112 moves the exponent from bias 15 to 127 and is exact for subnormals too.
  const uint32_t sign = static_cast<uint32_t>(p->bits & 0x8000) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(p->bits & 0x7fff) << 13;
  if (magnitude >= 0x0f800000) return from_bits(sign | magnitude | 0x7f800000);  // inf, nan
  return from_bits(sign | to_bits(from_bits(magnitude) * from_bits(0x77800000)));
}
KB_FN V load(const E4M3* p) {
  const uint32_t sign = static_cast<uint32_t>(p->bits & 0x80) << 24;
  const uint32_t magnitude = static_cast<uint32_t>(p->bits & 0x7f) << 20;
  if (magnitude == 0x07f00000) return from_bits(0x7fc00000);
  return from_bits(sign | to_bits(from_bits(magnitude) * from_bits(0x7b800000)));
}
KB_FN void store(float* p, V v) { *p = v; }
KB_FN void store(BF16* p, V v) {
  const uint32_t u = to_bits(v);
  p->bits = v != v ? 0x7fc0 : static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
KB_FN void store(F16* p, V v) {
  const uint32_t sign = to_bits(v) >> 16 & 0x8000;
  const uint32_t u = to_bits(v) & 0x7fffffff;
  uint32_t half;
  if (u > 0x7f800000) {
    half = 0x7e00;
  } else if (u >= 0x477ff000) {  // 65520 and up round to infinity
    half = 0x7c00;
  } else if (u < 0x38800000) {  // subnormal: let the float adder round at 2^-24
    half = to_bits(from_bits(u) + 0.5f) - to_bits(0.5f);
  } else {
    half = (u + 0xfff + ((u >> 13) & 1) - 0x38000000) >> 13;
  }
  p->bits = static_cast<uint16_t>(sign | half);
}
KB_FN void store(E4M3* p, V v) {  // the caller has clamped to +-448
  const uint32_t sign = to_bits(v) >> 24 & 0x80;
  const uint32_t u = to_bits(v) & 0x7fffffff;
  const uint32_t small = to_bits(from_bits(u) + 16384.0f) - to_bits(16384.0f);
  const uint32_t large = (u + 0x7ffff + ((u >> 20) & 1) - 0x3c000000) >> 20;
  p->bits = static_cast<uint8_t>(v != v ? 0x7f : sign | (u < 0x3c800000 ? small : large));
}
KB_FN void store(int8_t* p, V v) { *p = static_cast<int8_t>(v); }
KB_FN V prefix(V v) { return v; }  // running sums over the lanes
KB_FN V set1(float x) { return x; }
KB_FN V fma(V a, V b, V c) { return a * b + c; }
KB_FN V max(V a, V b) { return a > b ? a : b; }
KB_FN V min(V a, V b) { return a < b ? a : b; }
KB_FN V abs(V a) { return std::fabs(a); }
KB_FN V round(V a) { return std::nearbyint(a); }
KB_FN float sum(V a) { return a; }
KB_FN float highest(V a) { return a; }
KB_FN uint32_t above(V a, V b) { return a > b; }
KB_FN V scale_by_power(V p, V n) { return std::ldexp(p, static_cast<int>(n)); }
#include "simd_math.h"
#undef KB_FN
}  // namespace scalar

#if defined(__x86_64__)
#define KB_AVX2 __attribute__((always_inline, target("avx2,fma,f16c"))) static inline
#define KB_AVX512               \
  __attribute__((always_inline, \
                 target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))) static inline

namespace avx2 {
#define KB_FN KB_AVX2
using V = __m256;
constexpr int W = 8;

KB_FN V set1(float x) { return _mm256_set1_ps(x); }
KB_FN __m256i set1(int x) { return _mm256_set1_epi32(x); }
KB_FN __m256i bits(V v) { return _mm256_castps_si256(v); }
KB_FN V load(const float* p) { return _mm256_loadu_ps(p); }
KB_FN V load(const F16* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
KB_FN V load(const BF16* p) {
  const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(raw), 16));
}
KB_FN V load(const E4M3* p) {
  const __m256i raw = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  const __m256i magnitude = _mm256_slli_epi32(_mm256_and_si256(raw, set1(0x7f)), 20);
  const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(raw, set1(0x80)), 24);
  const V value = _mm256_castsi256_ps(magnitude) * set1(0x1p120f);
  const __m256i nan = _mm256_cmpeq_epi32(magnitude, set1(0x07f00000));
  return _mm256_or_ps(_mm256_or_ps(value, _mm256_castsi256_ps(sign)), _mm256_castsi256_ps(nan));
}
KB_FN void store(float* p, V v) { _mm256_storeu_ps(p, v); }
KB_FN void store(F16* p, V v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
KB_FN void store(BF16* p, V v) {
  const __m256i u = bits(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), set1(1));
  const __m256i rounded =
      _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(u, set1(0x7fff)), odd), 16);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  const __m256i result = _mm256_blendv_epi8(rounded, set1(0x7fc0), nan);
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(result, result), 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
}
KB_FN void store(int8_t* p, V v) {  // whole numbers from -128 to 127
  const __m256i wide = _mm256_cvtps_epi32(v);
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
}
KB_FN V prefix(V v) {  // running sums over the lanes
  v = v + _mm256_castsi256_ps(_mm256_slli_si256(bits(v), 4));
  v = v + _mm256_castsi256_ps(_mm256_slli_si256(bits(v), 8));
  const V low_total = _mm256_permute_ps(_mm256_permute2f128_ps(v, v, 0x08), 0xff);
  return v + low_total;
}
KB_FN V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
KB_FN V max(V a, V b) { return _mm256_max_ps(a, b); }
KB_FN V min(V a, V b) { return _mm256_min_ps(a, b); }
KB_FN V abs(V a) { return _mm256_andnot_ps(set1(-0.0f), a); }
KB_FN V round(V a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
KB_FN float sum(V a) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
KB_FN float highest(V a) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
KB_FN uint32_t above(V a, V b) {
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)));
}
KB_FN V scale_by_power(V p, V n) {
  const __m256i exponent =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), set1(127)), 23);
  return _mm256_and_ps(p * _mm256_castsi256_ps(exponent),
                       _mm256_cmp_ps(n, set1(-126.5f), _CMP_GT_OQ));
}
KB_FN void store(E4M3* p, V v) {
  alignas(32) float lanes[W];
  _mm256_store_ps(lanes, v);
  for (int i = 0; i < W; ++i) scalar::store(p + i, lanes[i]);
}
#include "simd_math.h"
#undef KB_FN
}  // namespace avx2

namespace avx512 {
#define KB_FN KB_AVX512
using V = __m512;
constexpr int W = 16;

KB_FN V set1(float x) { return _mm512_set1_ps(x); }
KB_FN __m512i set1(int x) { return _mm512_set1_epi32(x); }
KB_FN __m512i bits(V v) { return _mm512_castps_si512(v); }
KB_FN V load(const float* p) { return _mm512_loadu_ps(p); }
KB_FN V load(const F16* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
KB_FN V load(const BF16* p) {
  const __m256i raw = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(raw), 16));
}
KB_FN V load(const E4M3* p) {
  const __m512i raw = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  const __m512i magnitude = _mm512_slli_epi32(_mm512_and_si512(raw, set1(0x7f)), 20);
  const __m512i sign = _mm512_slli_epi32(_mm512_and_si512(raw, set1(0x80)), 24);
  const V value = _mm512_castsi512_ps(magnitude) * set1(0x1p120f);
  const __mmask16 nan = _mm512_cmpeq_epi32_mask(magnitude, set1(0x07f00000));
  return _mm512_castsi512_ps(
      _mm512_mask_mov_epi32(_mm512_or_si512(bits(value), sign), nan, set1(0x7fc00000)));
}
KB_FN void store(float* p, V v) { _mm512_storeu_ps(p, v); }
KB_FN void store(F16* p, V v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
KB_FN void store(BF16* p, V v) {
  const __m512i u = bits(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u, 16), set1(1));
  const __m512i rounded =
      _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u, set1(0x7fff)), odd), 16);
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  const __m512i result = _mm512_mask_mov_epi32(rounded, nan, set1(0x7fc0));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(result));
}
KB_FN void store(E4M3* p, V v) {
  const __m512i u = _mm512_and_si512(bits(v), set1(0x7fffffff));
  const __m512i sign = _mm512_and_si512(_mm512_srli_epi32(bits(v), 24), set1(0x80));
  const __m512i small =
      _mm512_sub_epi32(bits(_mm512_castsi512_ps(u) + set1(16384.0f)), set1(0x46800000));
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u, 20), set1(1));
  const __m512i large =
      _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u, odd), set1(0x7ffff - 0x3c000000)), 20);
  const __mmask16 is_small = _mm512_cmplt_epi32_mask(u, set1(0x3c800000));
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  const __m512i code = _mm512_or_si512(sign, _mm512_mask_mov_epi32(large, is_small, small));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm512_cvtepi32_epi8(_mm512_mask_mov_epi32(code, nan, set1(0x7f))));
}
KB_FN void store(int8_t* p, V v) {  // whole numbers from -128 to 127
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(v)));
}
KB_FN V prefix(V v) {  // running sums over the lanes
  const __m512i zero = set1(0);
  v = v + _mm512_castsi512_ps(_mm512_alignr_epi32(bits(v), zero, 15));
  v = v + _mm512_castsi512_ps(_mm512_alignr_epi32(bits(v), zero, 14));
  v = v + _mm512_castsi512_ps(_mm512_alignr_epi32(bits(v), zero, 12));
  return v + _mm512_castsi512_ps(_mm512_alignr_epi32(bits(v), zero, 8));
}
KB_FN V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
KB_FN V max(V a, V b) { return _mm512_max_ps(a, b); }
KB_FN V min(V a, V b) { return _mm512_min_ps(a, b); }
KB_FN V abs(V a) { return _mm512_abs_ps(a); }
KB_FN V round(V a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT); }
KB_FN float sum(V a) { return _mm512_reduce_add_ps(a); }
KB_FN float highest(V a) { return _mm512_reduce_max_ps(a); }
KB_FN uint32_t above(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ); }
KB_FN V scale_by_power(V p, V n) { return _mm512_scalef_ps(p, n); }
#include "simd_math.h"
#undef KB_FN
}  // namespace avx512
#endif  // __x86_64__

enum class Level { scalar, avx2, avx512 };

inline Level best_level() {
#if defined(KB_LEVEL)  // a test compiles with -DKB_LEVEL=avx2
  return Level::KB_LEVEL;
#elif defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return Level::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Level::avx2;
#endif
  return Level::scalar;
}

// The function of the best level: KB_PICK(kernel<F16>) is avx512::kernel<F16> where that can run.
#if defined(__x86_64__)
#define KB_PICK(...)                                    \
  (best_level() == Level::avx512 ? &avx512::__VA_ARGS__ \
   : best_level() == Level::avx2 ? &avx2::__VA_ARGS__   \
                                 : &scalar::__VA_ARGS__)
#else
#define KB_PICK(...) (&scalar::__VA_ARGS__)
#endif

// Calls work(begin, end) on slices of [0, n), one a thread, none smaller than `grain`.
template <typename Work>
void parallel(int64_t n, int64_t grain, const Work& work) {
#ifdef _OPENMP
  const int64_t wanted = grain > 0 ? n / grain : n;
  const int64_t most = omp_get_max_threads();
  const int threads = static_cast<int>(wanted < most ? wanted : most);
  if (threads > 1) {
#pragma omp parallel num_threads(threads)
    {
      const int64_t t = omp_get_thread_num(), of = omp_get_num_threads();
      work(n * t / of, n * (t + 1) / of);
    }
    return;
  }
#endif
  work(int64_t{0}, n);
}

#endif  // KBENCH_SIMD_H_
