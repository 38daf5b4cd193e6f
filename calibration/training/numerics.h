// What all programs of this set share: stored formats, orders of summation, softmax statistics, and the bugs that
// any kernel may have in these places. Compile-time switches:
//   PREC     type that is calculated in: 0 long double (the truth), 1 float, 2 double
//   ORDER    order of sums, LANES/TILE/PARTS its parameter
//   FMA      products are added by fused multiply-add
//   EXP2     exp(x) as exp2(x * log2(e))
//   SOFTMAX  how maximum and sum of exponentials are found
//   SUMBUG   a bug of sums, at the call sites SITE (0: everywhere)
//   OUTBUG   a bug of stores, of the output OUTSITE (0: of all)
//   SOFTBUG  a bug of softmax statistics
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include "kbench_ffi.h"

#ifndef PREC
#define PREC 1
#endif
#ifndef ORDER
#define ORDER 0
#endif
#ifndef LANES
#define LANES 8
#endif
#ifndef TILE
#define TILE 64
#endif
#ifndef PARTS
#define PARTS 4
#endif
#ifndef FMA
#define FMA 0
#endif
#ifndef EXP2
#define EXP2 0
#endif
#ifndef SOFTMAX
#define SOFTMAX 0
#endif
#ifndef SUMBUG
#define SUMBUG 0
#endif
#ifndef SITE
#define SITE 0
#endif
#ifndef OUTBUG
#define OUTBUG 0
#endif
#ifndef OUTSITE
#define OUTSITE 0
#endif
#ifndef SOFTBUG
#define SOFTBUG 0
#endif
#ifndef DEFECT
#define DEFECT 0
#endif
#ifndef WAY
#define WAY 0
#endif
#ifndef DT
#define DT 0
#endif

#if PREC == 0
using Real = long double;
#elif PREC == 2
using Real = double;
#else
using Real = float;
#endif

inline uint32_t bits_of(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }
inline float float_of(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }

// Nearest number (ties to even) with `digits` binary digits, the smallest step being 2^lowest.
inline long double to_grid(long double v, int digits, int lowest) {
  if (!std::isfinite(v) || v == 0) return v;
  int e;
  std::frexp(v, &e);
  int step = e - digits > lowest ? e - digits : lowest;
  return std::ldexp(std::nearbyint(std::ldexp(v, -step)), step);
}

struct F32 {
  using Raw = float;
  static float get(Raw r) { return r; }
  static Raw put(float f) { return f; }
  static Raw put(double f) { return float(f); }
  static Raw put(long double f) { return float(f); }
  static Raw cut(float f) { return float_of(bits_of(f) & 0xffffff00u); }
};

struct BF16 {
  using Raw = uint16_t;
  static float get(Raw r) { return float_of(uint32_t(r) << 16); }
  static Raw put(float f) {
    uint32_t u = bits_of(f);
    if (f != f) return 0x7fc0;
    return Raw((u + 0x7fff + ((u >> 16) & 1)) >> 16);
  }
  static Raw put(long double v) { return put(float(to_grid(v, 8, -133))); }
  static Raw put(double v) { return put(static_cast<long double>(v)); }
  static Raw cut(float f) { return Raw(bits_of(f) >> 16); }
};

struct F16 {
  using Raw = uint16_t;
  static float get(Raw r) {
    uint32_t m = r & 0x7fff;
    float v = m >= 0x7c00 ? float_of(0x7f800000u | (m << 13)) : float_of(m << 13) * 0x1p112f;
    return r & 0x8000 ? -v : v;
  }
  // `f` is on the grid of half numbers already.
  static Raw code(float f) {
    Raw sign = Raw((bits_of(f) >> 16) & 0x8000);
    float a = std::fabs(f);
    if (f != f) return 0x7e00;
    if (a >= 65536) return sign | 0x7c00;
    if (a < 6.103515625e-5f) return sign | Raw(a * 16777216.0f);
    uint32_t u = bits_of(a);
    return sign | Raw((((u >> 23) - 112) << 10) | ((u >> 13) & 1023));
  }
  static Raw put(float f) {
    uint32_t u = bits_of(f), a = u & 0x7fffffff;
    if (a < 0x38800000 || a >= 0x7f800000) return code(float(to_grid(f, 11, -24)));
    u += 0xfff + ((u >> 13) & 1);
    return code(float_of(u & 0xffffe000u));
  }
  static Raw put(long double v) { return code(float(to_grid(v, 11, -24))); }
  static Raw put(double v) { return put(static_cast<long double>(v)); }
  static Raw cut(float f) {
    float a = std::fabs(f);
    if (a < 6.103515625e-5f) return code(std::copysign(std::floor(a * 16777216.0f) / 16777216.0f, f));
    return code(float_of(bits_of(f) & 0xffffe000u));
  }
};

#if DT == 1
using Stored = F16;
#elif DT == 2
using Stored = BF16;
#else
using Stored = F32;
#endif

template <class S> Real rounded(Real v) { return S::get(S::put(v)); }
inline float tf32(float f) { uint32_t u = bits_of(f); return float_of((u + 0xfff + ((u >> 13) & 1)) & 0xffffe000u); }

template <class S> struct In {
  const typename S::Raw* p;
  explicit In(const kbench::Tensor& t) : p(t.data<typename S::Raw>()) {}
  Real operator[](int64_t i) const { return S::get(p[i]); }
};

template <class S> struct Out {
  typename S::Raw* p;
  int64_t n;
  int site;
  Out(const kbench::Tensor& t, int site) : p(t.data<typename S::Raw>()), n(t.numel()), site(site) {}
  void put(int64_t i, Real v) const {
    if (OUTBUG && (OUTSITE == 0 || OUTSITE == site)) {
      if (OUTBUG == 1) { p[i] = S::cut(float(v)); return; }            // cut off instead of rounded
      if (OUTBUG == 2) v = BF16::get(BF16::put(v));
      if (OUTBUG == 3) v = F16::get(F16::put(v));
      if (OUTBUG == 4) v = tf32(float(v));
      if (OUTBUG == 5) v *= Real(1.001);
      if (OUTBUG == 6) v *= Real(1.01);
      if (OUTBUG == 7 && i % 61 == 60) { p[i] = p[i - 1]; return; }    // one lane stores its neighbour's
      if (OUTBUG == 8 && i % 499 == 300) v = 0;                        // lost now and then
      if (OUTBUG == 9 && i >= n / 128 * 128) v = 0;                    // last partial tile
      if (OUTBUG == 10 && i == n - 1) v = 0;
      if (OUTBUG == 11 && i % 16 == 15) v = BF16::get(BF16::cut(float(v)));  // one lane of 16 by another path
      if (OUTBUG == 12) v = F16::get(F16::cut(float(v)));
    }
    p[i] = S::put(v);
  }
};

inline Real expo(Real x) { return EXP2 ? std::exp2(x * Real(1.44269504088896340735992L)) : std::exp(x); }

static int64_t sums_so_far = 0;   // set to 0 by each run: bugs of some rows are decided by it
static Real last_sum = 0;
inline void start() { sums_so_far = 0; last_sum = 0; }

// step(acc, i) adds element i to acc.
template <class Step> Real add_all(int64_t n, Step step, int64_t shift = 0) {
  Real acc = 0;
  if (ORDER == 1) {
    for (int64_t i = n; i-- > 0;) acc = step(acc, i);
  } else if (ORDER == 2) {           // pairwise, leaves of 8
    if (n <= 8) { for (int64_t i = 0; i < n; ++i) acc = step(acc, i + shift); return acc; }
    int64_t half = n / 2;
    return add_all(half, step, shift) + add_all(n - half, step, shift + half);
  } else if (ORDER == 3) {           // lanes, then a tree
    Real lane[LANES] = {};
    for (int64_t i = 0; i < n; ++i) lane[i % LANES] = step(lane[i % LANES], i);
    for (int w = LANES / 2; w > 0; w /= 2) for (int k = 0; k < w; ++k) lane[k] += lane[k + w];
    return lane[0];
  } else if (ORDER == 4) {           // tiles
    for (int64_t t = 0; t < n; t += TILE) {
      Real part = 0;
      for (int64_t i = t; i < n && i < t + TILE; ++i) part = step(part, i);
      acc += part;
    }
  } else if (ORDER == 5) {           // as many parts, the last one added first
    for (int64_t k = PARTS; k-- > 0;) {
      Real part = 0;
      for (int64_t i = n * k / PARTS; i < n * (k + 1) / PARTS; ++i) part = step(part, i);
      acc += part;
    }
  } else if (ORDER == 6) {           // Kahan
    Real lost = 0;
    for (int64_t i = 0; i < n; ++i) {
      volatile Real y = step(Real(0), i) - lost;
      volatile Real t = acc + y;
      lost = (t - acc) - y;
      acc = t;
    }
  } else if (ORDER == 7 && n > 0) {  // some other order, as atomics make it
    int64_t stride = 7;
    while (n % stride == 0) stride += 4;
    if (stride % 5 == 0) stride = 1;
    int64_t at = n / 3;
    for (int64_t i = 0; i < n; ++i) { acc = step(acc, at); at += stride; while (at >= n) at -= n; }
  } else {
    for (int64_t i = 0; i < n; ++i) acc = step(acc, i);
  }
  return acc;
}

template <class Step> Real accumulate(int64_t n, Step step, int site) {
  if (SUMBUG == 0 || (SITE != 0 && SITE != site)) return add_all(n, step);
  int64_t call = sums_so_far++;
  Real acc = SUMBUG == 11 && call % 8 == 7 ? last_sum : Real(0);     // 11: not cleared for one row of 8
  for (int64_t i = 0; i < n; ++i) {
    if (SUMBUG == 1 && i == n - 1) continue;                         // last one missing
    if (SUMBUG == 2 && i >= n / 32 * 32) continue;                   // last partial tile missing
    if (SUMBUG == 3 && i == 0) continue;                             // first one missing
    if (SUMBUG == 4 && i % 32 == 17) continue;                       // one lane lost
    if (SUMBUG == 5 && call % 13 == 5 && i >= n - n / 4) continue;   // a race loses a part now and then
    if (SUMBUG == 10 && call == 3 && i >= n / 4 && i < n / 2) continue;  // one part of one sum
    acc = step(acc, i);
    if (SUMBUG == 6 && i % 32 == 31) acc = step(acc, i);             // tiles overlap by one
    if (SUMBUG == 7) acc = BF16::get(BF16::put(acc));
    if (SUMBUG == 8) acc = F16::get(F16::put(acc));
  }
  if (SUMBUG == 9) acc = BF16::get(BF16::put(acc));                  // finished sum kept in bfloat16
  return last_sum = acc;
}

template <class Term> Real sum(int64_t n, Term term, int site = 1) {
  return accumulate(n, [&](Real acc, int64_t i) { return acc + term(i); }, site);
}

template <class A, class B> Real dot(int64_t n, A a, B b, int site = 1) {
  return accumulate(n, [&](Real acc, int64_t i) { return FMA ? std::fma(a(i), b(i), acc) : acc + a(i) * b(i); }, site);
}

template <class X> Real greatest(int64_t from, int64_t to, X x) {
  Real m = -INFINITY;
  for (int64_t i = from; i < to; ++i) m = x(i) > m ? x(i) : m;
  return m;
}

struct MaxSum { Real max, sum; };

// Maximum of x and sum of exp(x - maximum), n > 0.
template <class X> MaxSum max_sum(int64_t n, X x, int site = 1) {
  if (SOFTBUG == 1) {                // online, but the sum is not rescaled when the maximum grows after element 64
    Real m = x(0), s = 0;
    for (int64_t i = 0; i < n; ++i) {
      Real grown = x(i) > m ? x(i) : m;
      if (i < 64) s *= expo(m - grown);
      m = grown;
      s += expo(x(i) - m);
    }
    return {m, s};
  }
  if (SOFTBUG == 2 || SOFTMAX == 3) {  // two halves that are merged; bug: the second by its own maximum
    int64_t h = n / 2;
    Real a = greatest(0, h, x), b = greatest(h, n, x), m = a > b ? a : b;
    Real first = h ? sum(h, [&](int64_t i) { return expo(x(i) - a); }, site) : Real(0);
    Real second = sum(n - h, [&](int64_t i) { return expo(x(h + i) - b); }, site);
    return {m, (h ? first * expo(a - m) : Real(0)) + second * (SOFTBUG == 2 ? Real(1) : expo(b - m))};
  }
  if (SOFTBUG == 3) {                // log2(e) forgotten in the last tile of 64
    Real m = greatest(0, n, x), s = 0;
    for (int64_t i = 0; i < n; ++i) s += i >= (n - 1) / 64 * 64 ? std::exp2(x(i) - m) : expo(x(i) - m);
    return {m, s};
  }
  if (SOFTBUG == 4) {                // the maximum's own term is left out
    Real m = greatest(0, n, x), s = 0;
    for (int64_t i = 0; i < n; ++i) if (x(i) != m || n == 1) s += expo(x(i) - m);
    return {m, s};
  }
  if (SOFTBUG == 5) {                // exponentials kept in bfloat16
    Real m = greatest(0, n, x), s = 0;
    for (int64_t i = 0; i < n; ++i) s += BF16::get(BF16::cut(float(expo(x(i) - m))));
    return {m, s};
  }
  if (SOFTMAX == 1) {                // online
    Real m = x(0), s = 1;
    for (int64_t i = 1; i < n; ++i) {
      if (x(i) > m) { s = s * expo(m - x(i)) + 1; m = x(i); }
      else s += expo(x(i) - m);
    }
    return {m, s};
  }
  if (SOFTMAX == 2) {                // tiles of 32 as flash attention goes through them
    Real m = -INFINITY, s = 0;
    for (int64_t t = 0; t < n; t += 32) {
      int64_t w = n - t < 32 ? n - t : 32;
      Real grown = greatest(t, t + w, x);
      if (m > grown) grown = m;
      Real part = sum(w, [&](int64_t i) { return expo(x(t + i) - grown); }, site);
      s = (t ? s * expo(m - grown) : Real(0)) + part;
      m = grown;
    }
    return {m, s};
  }
  Real m = greatest(0, n, x);
  return {m, sum(n, [&](int64_t i) { return expo(x(i) - m); }, site)};
}

#ifndef SIG
#define SIG 0
#endif
inline Real sigmoid(Real x) {
  if (SIG == 1) { Real e = expo(-std::fabs(x)); return x < 0 ? e / (1 + e) : 1 / (1 + e); }
  return 1 / (1 + expo(-x));
}
