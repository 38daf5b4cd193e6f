// What all sources of this set share: 16-bit numbers, orders of summation, and mistakes that any op can have.
//   DTYPE    0 float32, 1 float16, 2 bfloat16: dtype of the tensors that Stored stands for
//   ACC      0 long double (the truth), 1 float, 2 double
//   ORDER    order of each sum, WIDTH its lanes, tile or parts
//   EXPWAY, SIGMOID, ROOT, RECIP   equally good formulas
//   DEFECT   0 none, 1 to 29 those of this file, from 30 on those of the source
#include "kbench_ffi.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#ifndef DTYPE
#define DTYPE 0
#endif
#ifndef ACC
#define ACC 1
#endif
#ifndef ORDER
#define ORDER 0
#endif
#ifndef WIDTH
#define WIDTH 8
#endif
#ifndef EXPWAY
#define EXPWAY 0
#endif
#ifndef SIGMOID
#define SIGMOID 0
#endif
#ifndef ROOT
#define ROOT 0
#endif
#ifndef RECIP
#define RECIP 0
#endif
#ifndef ALT
#define ALT 0
#endif
#ifndef DEFECT
#define DEFECT 0
#endif
constexpr bool has(int defect) { return DEFECT == defect; }

#if ACC == 0
using Real = long double;
#elif ACC == 2
using Real = double;
#else
using Real = float;
#endif

// ---- 16-bit numbers ----
struct Half { uint16_t bits; };
struct Brain { uint16_t bits; };

// v with `digits` binary digits, to nearest even; numbers below 2^lowest have fewer.
inline long double quantize(long double v, int digits, int lowest, bool cut = false) {
  if (v == 0 || !std::isfinite(v)) return v;
  int e;
  std::frexp(v, &e);
  int last = std::max(e - 1, lowest) - (digits - 1);
  long double scaled = std::ldexp(v, -last);
  return std::ldexp(cut ? std::trunc(scaled) : std::nearbyint(scaled), last);
}
inline float get(float v) { return v; }
inline float get(Brain b) { uint32_t u = uint32_t(b.bits) << 16; float f; std::memcpy(&f, &u, 4); return f; }
inline float get(Half h) {
  int e = (h.bits >> 10) & 31, m = h.bits & 1023;
  float f = e == 31 ? (m ? NAN : INFINITY) : e ? std::ldexp(float(m + 1024), e - 25) : std::ldexp(float(m), -24);
  return h.bits & 0x8000 ? -f : f;
}
inline void put(float& out, long double v) { out = float(v); }
inline void put(Brain& out, long double v) {
  float f = float(quantize(v, 8, -126));
  uint32_t u;
  std::memcpy(&u, &f, 4);
  out.bits = uint16_t(u >> 16);
  if (f != f) out.bits = 0x7fc0;
}
inline void put(Half& out, long double v) {
  float f = float(quantize(v, 11, -14));
  uint16_t sign = std::signbit(f) ? 0x8000 : 0;
  float a = std::fabs(f);
  if (f != f) out.bits = 0x7e00;
  else if (a >= 65536.f) out.bits = sign | 0x7c00;
  else if (a < std::ldexp(1.f, -14)) out.bits = sign | uint16_t(std::ldexp(a, 24));
  else {
    uint32_t u;
    std::memcpy(&u, &a, 4);
    out.bits = sign | uint16_t((u >> 13) - (112u << 10));
  }
}
#if DTYPE == 1
using Stored = Half;
#elif DTYPE == 2
using Stored = Brain;
#else
using Stored = float;
#endif
// Rounded to the dtype of the tensors, as by .to(x.dtype) in the reference.
template <class T> T as_stored(T v) { Stored s; put(s, v); return T(get(s)); }
// Quick roundings of floats for the mistakes (subnormal numbers do not matter there).
template <class T> T in_digits(T v, int digits) { return T(quantize(v, digits, -100)); }
template <class T> T in_bf16(T v) {
  float f = float(v);
  uint32_t u;
  std::memcpy(&u, &f, 4);
  u += 0x7fff + ((u >> 16) & 1);
  u &= 0xffff0000u;
  std::memcpy(&f, &u, 4);
  return T(f);
}
template <class T> T in_f16(T v) { double c = double(v) * 4398046511105.0 /* 2^42 + 1 leaves 11 digits of 53 */; volatile double d = c - double(v); return T(c - d); }
template <class T> T in_tf32(T v) {  // tensor cores cut off
  float f = float(v);
  uint32_t u;
  std::memcpy(&u, &f, 4);
  u &= 0xffffe000u;
  std::memcpy(&f, &u, 4);
  return T(f);
}

// ---- outputs, with the mistakes 10 to 19 ----
static int64_t reductions = 0;  // how many sums this call has made: decides which of them a race hits
template <class Out> void store(Out* out, int64_t i, Real value) {
  if (has(10)) {  // cut off
    put(out[i], quantize(value, sizeof(Out) == 4 ? 24 : DTYPE == 2 ? 8 : 11, DTYPE == 1 ? -14 : -126, true));
    return;
  }
  if (has(11)) value = in_bf16(value);
  if (has(12)) value = in_f16(value);
  if (has(13)) value = in_tf32(value);
  if (has(14)) value *= Real(1.005);
  if (has(15) && i % 997 == 501) value = i ? get(out[i - 1]) : 0;  // the neighbour's
  if (has(16)) value *= Real(1.01);
  if (has(17) && i % 512 == 511) value *= Real(0.9);
  if (has(18)) value *= Real(0.999);
  if (has(19) && i % 64 == 63) value = 0;
  put(out[i], value);
}

// ---- sums, with the mistakes 1 to 9 and 20 to 22 ----
template <class T> T rounded_sum(T v) { return has(5) ? in_bf16(v) : has(6) ? in_f16(v) : v; }
template <class T, class F> T pairwise(int64_t from, int64_t to, F& term) {
  if (to - from <= 4) {
    T s = 0;
    for (int64_t i = from; i < to; ++i) s = rounded_sum(s + term(i));
    return s;
  }
  int64_t mid = (from + to) / 2;
  return rounded_sum(pairwise<T>(from, mid, term) + pairwise<T>(mid, to, term));
}
template <class T, class F> T sum_in_order(int64_t n, F term) {
  T s = 0;
  if (ORDER == 0 || ACC == 0) {  // forward
    for (int64_t i = 0; i < n; ++i) s = rounded_sum(s + term(i));
  } else if (ORDER == 1) {  // backward
    for (int64_t i = n; i-- > 0;) s = rounded_sum(s + term(i));
  } else if (ORDER == 2) {
    s = pairwise<T>(0, n, term);
  } else if (ORDER == 3) {  // lanes, then a tree
    T lane[WIDTH] = {};
    for (int64_t i = 0; i < n; ++i) lane[i % WIDTH] = rounded_sum(lane[i % WIDTH] + term(i));
    for (int w = WIDTH / 2; w; w /= 2)
      for (int l = 0; l < w; ++l) lane[l] = rounded_sum(lane[l] + lane[l + w]);
    s = lane[0];
  } else if (ORDER == 4) {  // tiles
    for (int64_t i = 0; i < n; i += WIDTH) {
      T tile = 0;
      for (int64_t j = i; j < std::min<int64_t>(n, i + WIDTH); ++j) tile = rounded_sum(tile + term(j));
      s = rounded_sum(s + tile);
    }
  } else if (ORDER == 5) {  // split into parts, which arrive last one first
    for (int64_t p = WIDTH; p-- > 0;) {
      T part = 0;
      for (int64_t j = n * p / WIDTH; j < n * (p + 1) / WIDTH; ++j) part = rounded_sum(part + term(j));
      s = rounded_sum(s + part);
    }
  } else if (ORDER == 6) {  // Kahan
    T lost = 0;
    for (int64_t i = 0; i < n; ++i) {
      T y = term(i) - lost, t = rounded_sum(s + y);
      lost = (t - s) - y;
      s = t;
    }
  } else if (ORDER == 7) {  // as atomics arrive: a fixed shuffle
    int64_t step = 7;
    while (n % step == 0) step += 4 - step % 3;
    while (std::__gcd(step, std::max<int64_t>(n, 1)) != 1) ++step;
    for (int64_t i = 0; i < n; ++i) s = rounded_sum(s + term((i * step + 3) % n));
  } else if (ORDER == 8) {  // halves onto each other, as in shared memory
    std::vector<T> shared(std::max<int64_t>(n, 1), T(0));
    for (int64_t i = 0; i < n; ++i) shared[i] = term(i);
    for (int64_t m = n; m > 1; m = (m + 1) / 2)
      for (int64_t i = 0; i < m / 2; ++i) shared[i] = rounded_sum(shared[i] + shared[i + (m + 1) / 2]);
    s = shared[0];
  }
  return s;
}
template <class F> Real reduce(int64_t n, F term) {
  int64_t call = reductions++;
  if (has(1)) n = std::max<int64_t>(0, n - 1);  // off by one
  if (has(2)) return sum_in_order<Real>(std::max<int64_t>(0, n - 1), [&](int64_t i) { return Real(term(i + 1)); });
  if (has(3)) n = n / 16 * 16;  // the partial tile is lost
  if (has(4) && call % 13 == 5)  // a race loses what one lane of eight had
    return sum_in_order<Real>(n, [&](int64_t i) { return i % 8 == 3 ? Real(0) : Real(term(i)); });
  if (has(7)) return sum_in_order<Real>(n, [&](int64_t i) { return Real(term(i)) * (i == n - 1 ? 2 : 1); });
  if (has(8)) return sum_in_order<Real>(n, [&](int64_t i) { return in_bf16(Real(term(i))); });
  if (has(9)) return sum_in_order<Real>(n, [&](int64_t i) { return in_f16(Real(term(i))); });
  if (has(20) && call % 5 == 4)  // the clamped index reads one element twice, another one never
    return sum_in_order<Real>(n, [&](int64_t i) { return Real(term(i == n / 2 ? std::max<int64_t>(0, n / 2 - 1) : i)); });
  if (has(21) && call % 101 == 50) return sum_in_order<Real>(n / 2, term);  // the second half came too late
  if (has(22)) return sum_in_order<Real>(n, [&](int64_t i) { return in_tf32(Real(term(i))); });
  return sum_in_order<Real>(n, [&](int64_t i) { return Real(term(i)); });
}

// ---- functions, in equally good ways ----
inline Real expo(Real x) {
  if (ACC == 0 || EXPWAY == 0) return std::exp(x);
  if (EXPWAY == 1) return std::exp2(x * Real(1.4426950408889634L));
  return Real(std::exp(double(x)));
}
inline Real sigmoid(Real x) {
  if (ACC == 0 || SIGMOID == 0) return 1 / (1 + expo(-x));
  if (SIGMOID == 1) return Real(0.5) * std::tanh(Real(0.5) * x) + Real(0.5);
  if (x >= 0) return 1 / (1 + expo(-x));
  Real e = expo(x);
  return e / (1 + e);
}
inline Real softplus(Real x) {
  if (ACC == 0) return x > 40 ? x + std::exp(-x) : std::log1p(std::exp(x));
  if (SIGMOID == 0) return x > 20 ? x : std::log1p(expo(x));
  return std::max(x, Real(0)) + std::log1p(expo(-std::fabs(x)));
}
inline Real inverse_root(Real x) {
  if (ACC == 0 || ROOT == 0) return 1 / std::sqrt(x);
  if (ROOT == 1) return std::sqrt(1 / x);
  return Real(1 / std::sqrt(double(x)));
}
inline Real divide(Real a, Real b) { return ACC == 0 || RECIP == 0 ? a / b : a * (1 / b); }
