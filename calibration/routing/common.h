// Shared by all programs of this set: number formats, orders of summation, and the mistakes that can happen to any sum or
// any stored result. Compile-time switches:
//   DT       dtype of the main tensors: 0 float32, 1 bfloat16, 2 float16
//   ORDER    how sums are taken (sum_of); 0 is the truth: long double
//   VARIANT  another right way of an operation, its meaning is the operation's
//   DEFECT   the mistake: 0 none, 1-19 in sums, 20-39 in stored results, from 50 on the operation's own
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>
#include "kbench_ffi.h"
#ifndef DT
#define DT 0
#endif
#ifndef ORDER
#define ORDER 1
#endif
#ifndef VARIANT
#define VARIANT 0
#endif
#ifndef DEFECT
#define DEFECT 0
#endif

#if ORDER == 0
using Real = long double;
#elif ORDER == 13
using Real = double;
#else
using Real = float;
#endif
using kbench::Tensor;

// ---- number formats -----------------------------------------------------------------------------------------------
enum Rounding { kNearest, kCut };

// v with `fraction` bits after the leading one, no finer than 2^(lowest - fraction). Exact for long double.
template <class T> T keep_bits(T v, int fraction, int lowest, Rounding how = kNearest) {
  if (v == 0 || !std::isfinite(v)) return v;
  int e;
  std::frexp(v, &e);
  int shift = fraction - std::max(e - 1, lowest);
  T scaled = std::ldexp(v, shift);
  return std::ldexp(how == kCut ? std::trunc(scaled) : std::rint(scaled), -shift);
}
template <class T> T as_bf16(T v, Rounding how = kNearest) { return keep_bits(v, 7, -126, how); }
template <class T> T as_f16(T v, Rounding how = kNearest) { return keep_bits(v, 10, -14, how); }
template <class T> T as_tf32(T v) { return keep_bits(v, 10, -126); }

static uint32_t bits_of(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }
static float float_of(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }

static float bf16_value(uint16_t s) { return float_of(uint32_t(s) << 16); }
template <class T> uint16_t bf16_code(T v, Rounding how = kNearest) {
  if (std::isnan(v)) return 0x7fc0;
  T r = as_bf16(v, how);
  return uint16_t(bits_of(float(r)) >> 16);  // r is a float with 16 zero bits, or beyond all floats: infinity
}
static float f16_value(uint16_t h) {
  int e = h >> 10 & 31, f = h & 1023;
  float v = e == 31 ? (f ? NAN : INFINITY) : e == 0 ? std::ldexp(float(f), -24) : std::ldexp(float(f + 1024), e - 25);
  return h & 0x8000 ? -v : v;
}
template <class T> uint16_t f16_code(T v, Rounding how = kNearest) {
  if (std::isnan(v)) return 0x7e00;
  uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  T a = std::fabs(as_f16(v, how));
  if (a >= T(65520)) return sign | 0x7c00;
  if (a < T(0x1p-14)) return sign | uint16_t(std::ldexp(a, 24));
  int e;
  std::frexp(a, &e);
  return sign | uint16_t((e + 14) << 10) | uint16_t(int(std::ldexp(a, 11 - e)) & 1023);
}
// float8_e4m3fn: bias 7, no infinity, 0x7f is NaN, 448 the largest.
static float f8_value(uint8_t c) {
  int e = c >> 3 & 15, f = c & 7;
  float v = (c & 127) == 127 ? NAN : e == 0 ? std::ldexp(float(f), -9) : std::ldexp(float(f + 8), e - 10);
  return c & 128 ? -v : v;
}
template <class T> uint8_t f8_code(T v, Rounding how = kNearest) {
  uint8_t sign = std::signbit(v) ? 0x80 : 0;
  T a = std::fabs(keep_bits(v, 3, -6, how));
  if (!(a <= T(448))) return sign | 0x7f;
  if (a < T(0x1p-6)) return sign | uint8_t(std::ldexp(a, 9));
  int e;
  std::frexp(a, &e);
  return sign | uint8_t((e + 6) << 3) | uint8_t(int(std::ldexp(a, 4 - e)) & 7);
}

#if DT == 0
using Stored = float;
static float get(Stored s) { return s; }
template <class T> Stored put(T v, Rounding how = kNearest) { return how == kCut ? Stored(as_bf16(float(v), kCut)) : Stored(v); }
template <class T> T as_stored(T v) { return T(float(v)); }
#elif DT == 1
using Stored = uint16_t;
static float get(Stored s) { return bf16_value(s); }
template <class T> Stored put(T v, Rounding how = kNearest) { return bf16_code(v, how); }
template <class T> T as_stored(T v) { return as_bf16(v); }
#else
using Stored = uint16_t;
static float get(Stored s) { return f16_value(s); }
template <class T> Stored put(T v, Rounding how = kNearest) { return f16_code(v, how); }
template <class T> T as_stored(T v) { return as_f16(v); }
#endif

// The numbers of a tensor.
static std::vector<float> load(Tensor t) {
  std::vector<float> v(t.numel());
  for (size_t i = 0; i < v.size(); ++i) v[i] = get(t.data<Stored>()[i]);
  return v;
}
static std::vector<float> load_f8(Tensor t) {
  std::vector<float> v(t.numel());
  for (size_t i = 0; i < v.size(); ++i) v[i] = f8_value(t.data<uint8_t>()[i]);
  return v;
}

// ---- sums ---------------------------------------------------------------------------------------------------------
static int64_t sums_done = 0;  // numbers the sums of a call, to decide which one a race hits
static void start() { sums_done = 0; }

static Real after_addition(Real v) {  // accumulators of 16 bits
  if (DEFECT == 3) return as_bf16(v);
  if (DEFECT == 4) return as_f16(v);
  return v;
}
template <class F> Real in_order(int64_t begin, int64_t end, F term) {
  Real s = 0;
  for (int64_t i = begin; i < end; ++i) s = after_addition(s + term(i));
  return s;
}
template <class F> Real pairwise(int64_t begin, int64_t end, F term) {
  if (end - begin <= 4) return in_order(begin, end, term);
  int64_t middle = begin + (end - begin) / 2;
  return after_addition(pairwise(begin, middle, term) + pairwise(middle, end, term));
}
// `lanes` accumulators, added as a tree at the end. `add(accumulator, i)` gives the new accumulator.
template <int lanes, class A> Real in_lanes(int64_t n, A add) {
  Real s[lanes] = {};
  for (int64_t i = 0; i < n; ++i) s[i % lanes] = after_addition(add(s[i % lanes], i));
  for (int w = lanes / 2; w > 0; w /= 2)
    for (int l = 0; l < w; ++l) s[l] = after_addition(s[l] + s[l + w]);
  return s[0];
}
template <class F> Real in_tiles(int64_t n, int64_t tile, F term) {
  Real s = 0;
  for (int64_t b = 0; b < n; b += tile) s = after_addition(s + in_order(b, std::min(n, b + tile), term));
  return s;
}
// `parts` workers, whose sums are added last to first.
template <class F> Real in_parts(int64_t n, int64_t parts, F term) {
  Real s = 0;
  for (int64_t p = parts; p-- > 0;) s = after_addition(s + in_order(n * p / parts, n * (p + 1) / parts, term));
  return s;
}
template <class F> Real kahan(int64_t n, F term) {
  volatile Real s = 0, lost = 0;
  for (int64_t i = 0; i < n; ++i) {
    volatile Real y = term(i) - lost, t = s + y, moved = t - s;
    lost = moved - y;
    s = t;
  }
  return s;
}
template <class F> Real shuffled(int64_t n, F term) {  // as atomic additions may come
  int64_t step = n / 3 + 1;
  while (std::gcd(step, std::max<int64_t>(n, 1)) != 1) ++step;
  Real s = 0;
  for (int64_t k = 0, i = 0; k < n; ++k, i = (i + step) % n) s = after_addition(s + term(i));
  return s;
}
template <class F> Real in_the_chosen_order(int64_t n, F term) {
  auto add = [&](Real s, int64_t i) { return s + term(i); };
  if constexpr (ORDER == 2) { Real s = 0; for (int64_t i = n; i-- > 0;) s = after_addition(s + term(i)); return s; }
  else if constexpr (ORDER == 3) return pairwise(0, n, term);
  else if constexpr (ORDER == 4) return in_lanes<4>(n, add);
  else if constexpr (ORDER == 5) return in_lanes<8>(n, add);
  else if constexpr (ORDER == 6) return in_lanes<16>(n, add);
  else if constexpr (ORDER == 7) return in_lanes<32>(n, add);
  else if constexpr (ORDER == 8) return in_tiles(n, 16, term);
  else if constexpr (ORDER == 9) return in_tiles(n, 64, term);
  else if constexpr (ORDER == 10) return kahan(n, term);
  else if constexpr (ORDER == 11) return in_parts(n, 3, term);
  else if constexpr (ORDER == 12) return shuffled(n, term);
  else if constexpr (ORDER == 16) return in_parts(n, 5, term);
  else if constexpr (ORDER == 17) return in_tiles(n, 24, term);
  else if constexpr (ORDER == 18) return in_lanes<2>(n, add);
  else return in_order(0, n, term);  // 0, 1, 13; 14 and 15 where there are no products
}
// The sum of term(0 … n-1).
template <class F> Real sum_of(int64_t n, F exact) {
  int64_t number = sums_done++;
  auto term = [&](int64_t i) -> Real {
    if (DEFECT == 5 && number % 61 == 17 && i % 4 == 1) return 0;  // a race: one worker of four is lost now and then
    if (DEFECT == 7 && i % 32 == 31) return 0;
    Real t = exact(i);
    if (DEFECT == 8) t = as_tf32(t);
    if (DEFECT == 9) t = as_bf16(t, kCut);
    if (DEFECT == 12 && i == n - 1) t *= 2;
    return t;
  };
  if (DEFECT == 1 && n > 0) --n;
  if (DEFECT == 2) n -= n % 16;
  if (DEFECT == 6 && n > 0) return in_the_chosen_order(n, term) + term(0);
  if constexpr (DEFECT == 10) return as_bf16(in_order(0, n / 2, term)) + as_bf16(in_order(n / 2, n, term));
  if (DEFECT == 11 && number % 8 == 3) return in_order(n / 2, n, term);  // the second half overwrites the first one
  return in_the_chosen_order(n, term);
}
// The sum of a(i) * b(i).
template <class A, class B> Real dot(int64_t n, A a, B b) {
  if constexpr (DEFECT == 0 && ORDER == 14) {
    Real s = 0;
    for (int64_t i = 0; i < n; ++i) s = std::fma(Real(a(i)), Real(b(i)), s);
    return s;
  }
  if constexpr (DEFECT == 0 && ORDER == 15)
    return in_lanes<8>(n, [&](Real s, int64_t i) { return std::fma(Real(a(i)), Real(b(i)), s); });
  if constexpr (DEFECT == 8) return sum_of(n, [&](int64_t i) { return as_tf32(Real(a(i))) * as_tf32(Real(b(i))); });
  return sum_of(n, [&](int64_t i) { return Real(a(i)) * Real(b(i)); });
}

// ---- stored results -----------------------------------------------------------------------------------------------
// Writes element i of an output of the dtype DT; the mistakes are those of a last step that all kernels have.
static void emit(Tensor out, int64_t i, Real v) {
  const int64_t columns = out.size(-1), rows = out.numel() / columns, row = i / columns, column = i % columns;
  Stored* to = out.data<Stored>();
  switch (DEFECT) {
    case 20: v *= Real(1.001); break;
    case 21: v *= Real(1.005); break;
    case 22: v *= Real(1.01); break;
    case 23: to[i] = put(v, kCut); return;
    case 24: v = as_bf16(v); break;
    case 25: v = as_f16(v); break;
    case 26: v = as_tf32(v); break;
    case 27: if (row == rows - 1 && row > 0) { to[i] = to[i - columns]; return; } break;  // the row before, again
    case 28: if (i % 997 == 500) v = -v; break;
    case 29: if (column == columns - 1) v = 0; break;
    case 30: if (row % 8 == 7) v *= Real(1.02); break;
    case 31: if (row == 3 && column < columns / 2 * 2) i ^= columns % 2 ? 0 : 1; break;  // neighbours swapped in one row
    case 32: if (row >= 4 && row < 8 && column >= columns - 8) v *= Real(0.97); break;  // one tile
    case 33: if (i % 499 == 7) v = 0; break;
    case 34: v = keep_bits(v, DT == 0 ? 19 : DT == 1 ? 5 : 8, -126); break;  // some bits too few
  }
  to[i] = put(v);
}
