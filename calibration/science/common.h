// What the programs of this set share: the arithmetic of a program (R), orders of summation, rounding.
#ifndef SCIENCE_COMMON_H_
#define SCIENCE_COMMON_H_
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kbench_ffi.h"

#ifdef LONG
typedef long double R;
#elif defined(DOUBLE)
typedef double R;
#else
typedef float R;
#endif
#ifndef BUG
#define BUG 0
#endif
#ifndef FORM
#define FORM 0
#endif
#ifndef ORD
#define ORD 0
#endif
#ifndef FACTOR
#define FACTOR 1
#endif
#ifndef VIA
#define VIA 0
#endif
#ifndef LOADS
#define LOADS 0
#endif
#define B(k) (BUG == (k))
#define F(k) (FORM == (k))
typedef kbench::Tensor T;
typedef int64_t I;
typedef _Float16 f16;

// x rounded to p significant bits, halves to even.
template <typename X>
static X bits(X x, int p) {
  if (x == 0 || !std::isfinite(x)) return x;
  int e;
  std::frexp(x, &e);
  const X q = std::ldexp(X(1), e - p);
  return std::nearbyint(x / q) * q;
}
// x cut to p significant bits.
template <typename X>
static X cut(X x, int p) {
  if (x == 0 || !std::isfinite(x)) return x;
  int e;
  std::frexp(x, &e);
  const X q = std::ldexp(X(1), e - p);
  return std::trunc(x / q) * q;
}
static inline R rb(R x) { return bits(x, 8); }
static inline R rh(R x) { return R(f16(x)); }
static inline R rt(R x) { return bits(x, 11); }

struct bf16 {
  uint16_t x;
  bf16() = default;
  explicit bf16(R value) {
    const float v = float(bits(value, 8));
    uint32_t u;
    std::memcpy(&u, &v, 4);
    if (v != v) u |= 0x400000;
    x = uint16_t(u >> 16);
  }
  operator float() const {
    const uint32_t u = uint32_t(x) << 16;
    float v;
    std::memcpy(&v, &u, 4);
    return v;
  }
};

// Stores a result.
static inline R before(R v) {
  v = v * R(FACTOR);
  if (VIA == 1) v = rb(v);
  if (VIA == 2) v = rh(v);
  if (VIA == 3) v = rt(v);
  if (VIA == 4) v = cut(v, 8);
  if (VIA == 5) v = cut(v, 11);
  return v;
}
static inline void put(float& o, R v) { o = float(before(v)); }
static inline void put(f16& o, R v) { o = f16(before(v)); }
static inline void put(bf16& o, R v) { o = bf16(before(v)); }
// Loads an input.
static inline R ld(R v) {
  if (LOADS == 1) return rb(v);
  if (LOADS == 2) return rt(v);
  if (LOADS == 3) return cut(v, 8);
  return v;
}
static inline R nmax(R a, R b) { return a != a || a > b ? a : b; }
static inline R nmin(R a, R b) { return a != a || a < b ? a : b; }

static I g_row = 0;  // which a race looks at
static inline bool unlucky(I every) { return ((g_row * 2654435761u) >> 7) % every == 3 % every; }

template <typename Term>
static R pairwise(I a, I b, const Term& f) {
  if (b - a <= 4) {
    R s = 0;
    for (I i = a; i < b; ++i) s += f(i);
    return s;
  }
  const I m = (a + b) / 2;
  return pairwise(a, m, f) + pairwise(m, b, f);
}

template <typename Term>
static R run_of(I a, I b, I step, const Term& f) {
  R s = 0;
  for (I i = a; i < b; i += step) s += f(i);
  return s;
}

template <typename Term>
static R sum(I n, const Term& f) {
  R s = 0;
  if (n <= 0) return 0;
  if (ORD == 0) return run_of(0, n, 1, f);
  if (ORD == 1) {
    for (I i = n; i-- > 0;) s += f(i);
    return s;
  }
  if (ORD == 2) return pairwise(0, n, f);
  if (ORD == 3 || ORD == 31 || ORD == 32 || ORD == 24 || ORD == 35) {
    R l[8] = {};
    for (I i = 0; i < n; ++i) {
      l[i % 8] += f(i);
      if (ORD == 31) l[i % 8] = rh(l[i % 8]);
    }
    for (int i = 0; i < 8; ++i) {
      if (ORD == 32 && i == 7) continue;
      if (ORD == 24 && i == 5 && unlucky(11)) continue;
      s += l[i];
      if (ORD == 35 && i == 2 && unlucky(9)) s += l[i];
    }
    return s;
  }
  if (ORD == 4 || ORD == 30 || ORD == 33) {
    for (I t = 0; t < n; t += 64) {
      const R part = run_of(t, t + 64 < n ? t + 64 : n, 1, f);
      s += part;
      if (ORD == 30) s = rb(s);
      if (ORD == 33) s = rh(s);
    }
    return s;
  }
  if (ORD == 5) {
    volatile R c = 0;
    for (I i = 0; i < n; ++i) {
      const R y = f(i) - c;
      const volatile R t = s + y;
      c = (t - s) - y;
      s = t;
    }
    return s;
  }
  if (ORD == 6) {
    R p[4];
    for (I i = 0; i < 4; ++i) p[i] = run_of(n * i / 4, n * (i + 1) / 4, 1, f);
    return (p[0] + p[1]) + (p[2] + p[3]);
  }
  if (ORD == 7) return run_of(0, n, 2, f) + run_of(1, n, 2, f);
  if (ORD == 8) {
    R l[16];
    for (int i = 0; i < 16; ++i) l[i] = run_of(i, n, 16, f);
    for (int w = 8; w; w /= 2)
      for (int i = 0; i < w; ++i) l[i] += l[i + w];
    return l[0];
  }
  if (ORD == 9) {
    double d = 0;
    for (I i = 0; i < n; ++i) d += double(f(i));
    return R(d);
  }
  if (ORD == 10) {  // tiles of 16, the last first
    for (I t = (n - 1) / 16 * 16; t >= 0; t -= 16) s += run_of(t, t + 16 < n ? t + 16 : n, 1, f);
    return s;
  }
  if (ORD == 20) return run_of(0, n - 1, 1, f);
  if (ORD == 21) return run_of(0, n / 32 * 32, 1, f);
  if (ORD == 22) return run_of(0, n, 1, f) + f(n - 1);
  if (ORD == 23) return run_of(1, n, 1, f);
  if (ORD == 25) {
    for (I i = 0; i < n; ++i) s = rb(s + f(i));
    return s;
  }
  if (ORD == 26) {
    for (I i = 0; i < n; ++i) s = rh(s + f(i));
    return s;
  }
  if (ORD == 27) return run_of(0, n, 1, [&](I i) { return cut(f(i), 8); });
  if (ORD == 28) return run_of(0, n, 1, [&](I i) { return rt(f(i)); });
  if (ORD == 29) return run_of(0, n, 1, f) + run_of(0, n < 32 ? n : 32, 1, f);
  if (ORD == 34) {  // the tail is padded with the last element
    s = run_of(0, n, 1, f);
    for (I i = n; i % 8; ++i) s += f(n - 1);
    return s;
  }
  if (ORD == 36) return run_of(0, n / 4 * 4, 1, f);
  if (ORD == 37) return run_of(0, n, 1, f) + (n > 32 ? f(32) : 0);  // tiles overlap by one
  return s;
}

template <typename X>
static X clampi(X v, X lo, X hi) {
  return v < lo ? lo : v > hi ? hi : v;
}

// float8_e4m3fn, halves to even; beyond its range NaN, or its largest with `saturate`.
static inline uint8_t f8(R v, bool saturate = false, bool chop = false) {
  if (v != v) return 0x7f;
  const uint8_t sign = std::signbit(v) ? 0x80 : 0;
  R a = std::fabs(v);
  int e = 0;
  if (a > 0) std::frexp(a, &e);
  if (e < -5) e = -5;
  const R q = std::ldexp(R(1), e - 4);
  R k = chop ? std::floor(a / q) : std::nearbyint(a / q);
  a = k * q;
  if (a > 448) return sign | (saturate ? 0x7e : 0x7f);
  if (a == 0) return sign;
  std::frexp(a, &e);
  if (e < -5) return sign | uint8_t(a * 512);
  return sign | uint8_t(((e - 1 + 7) << 3) | (int(std::ldexp(a, 4 - e)) & 7));
}
#endif
