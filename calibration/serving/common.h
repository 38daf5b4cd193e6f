// What the programs of this set share: element types, ways to sum, ways to go through rows.
// -DREAL=type of the arithmetic, -DSUM=way to sum, -DROWS=way through the rows, -DPUT=way to store,
// -DCUTIN=bits of factors, -DV=variant of a kernel, -DBUG=mistake of a kernel.
#pragma once

#include "lite.h"
#ifndef REAL
#define REAL float
#endif
#ifndef SUM
#define SUM 0
#endif
#ifndef ROWS
#define ROWS 0
#endif
#ifndef PUT
#define PUT 0
#endif
#ifndef CUTIN
#define CUTIN 0
#endif
#ifndef V
#define V 0
#endif
#ifndef BUG
#define BUG 0
#endif
#ifndef FACTOR
#define FACTOR 1
#endif
using kbench::Tensor;
typedef long double ldouble;
typedef REAL real;
typedef long i64;
const real INF = INFINITY;
constexpr long double PI = 3.14159265358979323846264338327950288L, LOG2E = 1.44269504088896340735992468100189214L;

inline uint32_t bits_of(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
inline float float_of(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }

// x in p bits, no finer than 2^low.
template <class R>
R round_to(R x, int p, int low, bool cut = false) {
  if (x == 0 || !lite::isfinite(x)) return x;
  int e;
  lite::frexp(x, &e);
  const int q = lite::max(e - p, low);
  const R y = lite::ldexp(x, -q);
  return lite::ldexp(cut ? lite::trunc(y) : lite::nearbyint(y), q);
}

struct bf16 {
  uint16_t b;
  operator float() const { return float_of(uint32_t(b) << 16); }
  template <class R> static R near(R x, bool cut = false) { return round_to(x, 8, -133, cut); }
  template <class R> static bf16 from(R x) { return {uint16_t(bits_of(float(near(x))) >> 16)}; }
};
struct f16 {
  uint16_t b;
  operator float() const {
    const float f = (b & 0x7c00) == 0x7c00 ? float_of(0x7f800000u | (b & 1023u) << 13)
                                           : float_of((b & 0x7fffu) << 13) * 0x1p112f;
    return b & 0x8000 ? -f : f;
  }
  template <class R> static R near(R x, bool cut = false) {
    x = round_to(x, 11, -24, cut);
    return x > 65504 ? R(INFINITY) : x < -65504 ? R(-INFINITY) : x;
  }
  template <class R> static f16 from(R x) {
    const float f = float(near(x));
    const uint16_t sign = bits_of(f) >> 31 << 15;
    if (lite::isnan(f)) return {uint16_t(sign | 0x7e00)};
    if (lite::isinf(f)) return {uint16_t(sign | 0x7c00)};
    return {uint16_t(sign | bits_of(lite::fabs(f) * 0x1p-112f) >> 13)};
  }
};
struct f8 {
  uint8_t b;
  operator float() const {
    const float f = (b & 127) == 127 ? NAN : float_of((b & 127u) << 20) * 0x1p120f;
    return b & 128 ? -f : f;
  }
  template <class R> static R near(R x, bool cut = false) { return round_to(x, 4, -9, cut); }
  template <class R> static f8 from(R x) {
    const float f = float(near(x));
    const uint8_t sign = bits_of(f) >> 31 << 7;
    if (!(lite::fabs(f) <= 448)) return {uint8_t(sign | 127)};
    return {uint8_t(sign | bits_of(lite::fabs(f) * 0x1p-120f) >> 20)};
  }
};
// float32 that is written as the others are.
struct f32 {
  float v;
  operator float() const { return v; }
  template <class R> static R near(R x, bool = false) { return R(float(x)); }
  template <class R> static f32 from(R x) { return {float(x)}; }
};

template <class T> T* P(const Tensor& t) { return t.data<T>(); }

// Stores a result. PUT: 1 cut, 2 by bfloat16, 3 by float16, 4 by float8, 5 by float32 with 13 bits cut
template <class T, class R>
void put(T* p, R x) {
  x *= R(FACTOR);
  if (PUT == 1) x = T::near(x, true);
  if (PUT == 2) x = bf16::near(x);
  if (PUT == 3) x = f16::near(x);
  if (PUT == 4) x = f8::near(x);
  if (PUT == 5) x = round_to(x, 11, -140, true);
  *p = T::from(x);
}

// A factor of a product. CUTIN: 1 cut to tf32, 2 cut to bfloat16, 3 rounded to bfloat16, 4 rounded to float8
inline real in(real x) {
  if (CUTIN == 1) return round_to(x, 11, -140, true);
  if (CUTIN == 2) return bf16::near(x, true);
  if (CUTIN == 3) return bf16::near(x);
  if (CUTIN == 4) return f8::near(x);
  return x;
}

inline bool now_and_then(int bits = 6) {
  static unsigned n = 12345;
  n = n * 1664525u + 1013904223u;
  return n >> (32 - bits) == 0;
}

template <class F>
real forwards(i64 a, i64 b, F f) {
  real s = 0;
  for (i64 i = a; i < b; ++i) s += f(i);
  return s;
}
template <class F>
real pairwise(i64 a, i64 b, F f) {
  if (b - a <= 4) return forwards(a, b, f);
  const i64 m = (a + b) / 2;
  return pairwise(a, m, f) + pairwise(m, b, f);
}

// The sum of f(0) … f(n - 1).
template <class F>
real sum(i64 n, F f) {
  real s = 0;
  switch (SUM) {
    case 1:  // backwards
      for (i64 i = n - 1; i >= 0; --i) s += f(i);
      return s;
    case 2: return pairwise(0, n, f);
    case 3: case 30: {  // 8 lanes; 30: a tail that is no multiple of 8 is lost
      real l[8] = {};
      i64 i = 0;
      for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) l[k] += f(i + k);
      if (SUM == 3) for (; i < n; ++i) l[i % 8] += f(i);
      return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
    }
    case 4:  // tiles of 64
      for (i64 i = 0; i < n; i += 64) s += forwards(i, lite::min(i + 64, n), f);
      return s;
    case 5: {  // Kahan
      real c = 0;
      for (i64 i = 0; i < n; ++i) { const real y = f(i) - c, t = s + y; c = (t - s) - y; s = t; }
      return s;
    }
    case 6: {  // four parts
      const i64 m = (n + 3) / 4;
      for (int k = 0; k < 4; ++k) s += forwards(lite::min(k * m, n), lite::min((k + 1) * m, n), f);
      return s;
    }
    case 7: {  // accumulates in double
      double d = 0;
      for (i64 i = 0; i < n; ++i) d += f(i);
      return real(d);
    }
    case 8: {  // a warp: 32 lanes, then a butterfly
      real l[32] = {};
      for (i64 i = 0; i < n; ++i) l[i % 32] += f(i);
      for (int w = 16; w > 0; w /= 2) for (int k = 0; k < w; ++k) l[k] += l[k + w];
      return l[0];
    }
    case 9: {  // even and odd
      real o = 0;
      for (i64 i = 0; i < n; ++i) (i % 2 ? o : s) += f(i);
      return s + o;
    }
    // Mistakes
    case 20: for (i64 i = 0; i < n; ++i) s = bf16::near(s + f(i)); return s;
    case 21: for (i64 i = 0; i < n; ++i) s = f16::near(s + f(i)); return s;
    case 22: return forwards(0, n - 1, f);
    case 23: return forwards(0, n > 64 ? (n - 1) / 64 * 64 : n, f);
    case 24: return forwards(0, n, f) + f(n - 1);
    case 25: return forwards(1, n, f);
    case 26:  // a race that loses a lane now and then
      for (i64 i = 0; i < n; i += 16) { const real t = forwards(i, lite::min(i + 16, n), f); if (!now_and_then()) s += t; }
      return s;
    case 27:  // partial sums in bfloat16
      for (i64 i = 0; i < n; i += 16) s = bf16::near(s + forwards(i, lite::min(i + 16, n), f));
      return s;
    case 28:  // parts that overlap by one
      { const i64 m = (n + 1) / 2; return forwards(0, lite::min(m + 1, n), f) + forwards(m, n, f); }
    case 29: for (i64 i = 0; i < n; ++i) s += bf16::near(real(f(i))); return s;  // terms in bfloat16
    case 31: return forwards(0, n / 4 * 4, f);  // unrolled by 4 without a tail
    case 32: {  // a butterfly that misses its last step
      real l[32] = {};
      for (i64 i = 0; i < n; ++i) l[i % 32] += f(i);
      for (int w = 16; w > 1; w /= 2) for (int k = 0; k < w; ++k) l[k] += l[k + w];
      return l[0];
    }
  }
  return forwards(0, n, f);
}

// The sum of a(i) b(i). SUM 10: by fused multiply-add, 11: that in four lanes
template <class A, class B>
real dot(i64 n, A a, B b) {
  if (SUM == 10) {
    real s = 0;
    for (i64 i = 0; i < n; ++i) s = lite::fma(in(a(i)), in(b(i)), s);
    return s;
  }
  if (SUM == 11) {
    real l[4] = {};
    for (i64 i = 0; i < n; ++i) l[i % 4] = lite::fma(in(a(i)), in(b(i)), l[i % 4]);
    return (l[0] + l[1]) + (l[2] + l[3]);
  }
  return sum(n, [&](i64 i) { return in(a(i)) * in(b(i)); });
}

// Calls f for each of n rows. ROWS: 1 backwards, 2 two interleaved threads, 3 blocks of 16; 10 last one lost,
// 11 the rest of whole blocks of 16 lost, 12 first lost, 13 one lost now and then
template <class F>
void rows(i64 n, F f) {
  switch (ROWS) {
    case 1: for (i64 i = n; i-- > 0;) f(i); return;
    case 2: for (i64 k = 0; k < 2; ++k) for (i64 i = k; i < n; i += 2) f(i); return;
    case 3: for (i64 b = (n - 1) / 16; b >= 0; --b) for (i64 i = b * 16; i < lite::min(n, b * 16 + 16); ++i) f(i); return;
    case 10: n -= 1; break;
    case 11: if (n % 16) n = n / 16 * 16; break;
    case 13: for (i64 i = 0; i < n; ++i) if (!now_and_then(4)) f(i); return;
  }
  for (i64 i = ROWS == 12; i < n; ++i) f(i);
}

inline void clear(const Tensor& t) { memset(t.data<char>(), 0, size_t(t.numel()) * t.dtype().bits / 8); }

inline real sigmoid(real x) { return 1 / (1 + lite::exp(-x)); }

#define RUN(...) KBENCH_EXPORT(run, __VA_ARGS__)
