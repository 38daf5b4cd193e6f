// Conversions between numbers and stored elements, and mistakes that any kernel can make on its way out (OUT).
// Only builtins: the standard headers would take longer to compile than a kernel.
#pragma once
#include "kbench_ffi.h"
#include <cstdint>
#include <cstring>
using kbench::Tensor;

#ifndef WAY
#define WAY 0  // another right formula
#endif
#ifndef DEFECT
#define DEFECT 0  // a mistake of this operation
#endif
#ifndef OUT
#define OUT 0  // a mistake when results are stored
#endif
#ifndef TRUTH
#define TRUTH 0
#endif
#if TRUTH
using real = long double;
#elif defined(DOUBLE)
using real = double;
#else
using real = float;
#endif

inline float exponential(float v) { return __builtin_expf(v); }
inline double exponential(double v) { return __builtin_exp(v); }
inline long double exponential(long double v) { return __builtin_expl(v); }
inline float logarithm(float v) { return __builtin_logf(v); }
inline double logarithm(double v) { return __builtin_log(v); }
inline long double logarithm(long double v) { return __builtin_logl(v); }
inline float root(float v) { return __builtin_sqrtf(v); }
inline double root(double v) { return __builtin_sqrt(v); }
inline long double root(long double v) { return __builtin_sqrtl(v); }
inline float power2(float v) { return __builtin_exp2f(v); }
inline double power2(double v) { return __builtin_exp2(v); }
inline long double power2(long double v) { return __builtin_exp2l(v); }
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline long double fused(long double a, long double b, long double c) { return a * b + c; }
template <class R> R absolute(R v) { return v < 0 ? -v : v; }
template <class R> R larger(R a, R b) { return a > b ? a : b; }
template <class R> R smaller(R a, R b) { return a < b ? a : b; }
template <class R> R hyperbolic_tangent(R v) { R e = exponential(-2 * absolute(v)), t = (1 - e) / (1 + e); return v < 0 ? -t : t; }

enum Rounding { kNearest, kCut };
// v rounded to `bits` significant bits; the last place of the smallest numbers weighs 2^lowest.
inline long double rounded(long double v, int bits, int lowest, Rounding how = kNearest) {
  if (v == 0 || __builtin_isnan(v) || __builtin_isinf(v)) return v;
  int exponent;
  __builtin_frexpl(v, &exponent);
  int last = exponent - bits < lowest ? lowest : exponent - bits;
  long double whole = __builtin_ldexpl(v, -last);
  return __builtin_ldexpl(how == kCut ? __builtin_truncl(whole) : __builtin_nearbyintl(whole), last);
}
// It does that by the bits of a double, which is much faster.
inline double rounded(double v, int bits, int lowest, Rounding how = kNearest) {
  uint64_t u;
  std::memcpy(&u, &v, 8);
  int exponent = int(u >> 52 & 2047), drop = 53 - bits;
  if (exponent == 0 || exponent == 2047 || exponent - 1022 - bits < lowest) return double(rounded((long double)v, bits, lowest, how));
  if (how == kNearest) u += (uint64_t(1) << (drop - 1)) - 1 + (u >> drop & 1);
  u &= ~((uint64_t(1) << drop) - 1);
  std::memcpy(&v, &u, 8);
  return v;
}
inline double rounded(float v, int bits, int lowest, Rounding how = kNearest) { return rounded(double(v), bits, lowest, how); }
inline double rounded(int32_t v, int bits, int lowest, Rounding how = kNearest) { return rounded(double(v), bits, lowest, how); }
inline double rounded(int64_t v, int bits, int lowest, Rounding how = kNearest) { return rounded(double(v), bits, lowest, how); }
// A format with a sign, an exponent and `fraction` bits.
struct Format {
  int fraction, bias;
  long double largest;
  uint32_t beyond;  // code of what is larger
  uint32_t sign;
  template <class R> R round(R v, Rounding how = kNearest) const { return R(rounded(v, fraction + 1, 1 - bias - fraction, how)); }
  template <class R> uint32_t encode(R given, Rounding how = kNearest) const {
    long double v = round(given, how);
    if (__builtin_isnan(v)) return beyond | (1u << (fraction - 1)) | (fraction == 3 ? 7 : 0);
    uint32_t negative = __builtin_signbit(v) ? sign : 0;
    long double size = absolute(v);
    if (size > largest) return negative | beyond;
    if (size == 0) return negative;
    int exponent = __builtin_ilogbl(size);
    if (exponent < 1 - bias) return negative | uint32_t(__builtin_ldexpl(size, bias - 1 + fraction));
    return negative | uint32_t(__builtin_ldexpl(size, fraction - exponent) - (1 << fraction)) | uint32_t(exponent + bias) << fraction;
  }
  float decode(uint32_t code) const {
    uint32_t part = code & ((1u << fraction) - 1), exponent = (code & (sign - 1)) >> fraction;
    if (exponent == 0) return __builtin_ldexpf(code & sign ? -float(part) : float(part), 1 - bias - fraction);
    uint32_t bits = (code & sign ? 1u << 31 : 0) | (exponent + 127 - uint32_t(bias)) << 23 | part << (23 - fraction);
    if (bias == 15 && exponent == 31) bits |= 0x7f800000;  // infinite or NaN
    float v;
    std::memcpy(&v, &bits, 4);
    return v;
  }
};
constexpr Format kHalf{10, 15, 65504, 0x7c00, 0x8000}, kBrain{7, 127, 3.38953138925153547590470800371487867e38L, 0x7f80, 0x8000};
constexpr Format kE4M3{3, 7, 448, 0x7f, 0x80}, kE5M2{2, 15, 57344, 0x7c, 0x80};

// DTYPE: 0 float32, 1 float16, 2 bfloat16.
#ifndef DTYPE
#define DTYPE 0
#endif
#if DTYPE == 0
using Stored = float;
inline float get(Stored s) { return s; }
template <class R> Stored put(R v, Rounding = kNearest) { return float(v); }
template <class R> float stored(R v) { return float(v); }
#else
using Stored = uint16_t;
constexpr Format kStored = DTYPE == 1 ? kHalf : kBrain;
inline float get(Stored s) {
  if (DTYPE == 1) return kHalf.decode(s);
  uint32_t bits = uint32_t(s) << 16;
  float v;
  std::memcpy(&v, &bits, 4);
  return v;
}
template <class R> Stored put(R v, Rounding how = kNearest) { return Stored(kStored.encode(v, how)); }
// v as it is after a trip through the stored dtype.
template <class R> float stored(R v) {
  R kept = kStored.round(v);
  return absolute(kept) > R(kStored.largest) ? float(kept * R(__builtin_huge_vall())) : float(kept);
}
#endif
template <class R> float through_brain(R v) { return float(kBrain.round(v)); }
template <class R> float through_half(R v) {
  float kept = float(kHalf.round(v));
  return absolute(kept) > 65504 ? kept * __builtin_huge_valf() : kept;
}
template <class R> float through_tf32(R v) { return float(rounded(v, 11, -149)); }

// Mixes an index, for losses that happen now and then.
inline uint32_t mixed(int64_t i) {
  uint32_t h = uint32_t(i) * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  return h ^ (h >> 13);
}

// The value at [row, column] of a rows × columns output, after the mistake OUT.
template <class R> R spoiled(R v, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  int64_t index = row * columns + column;
  switch (OUT) {
    case 2: return R(through_brain(v));
    case 3: return R(through_half(v));
    case 4: return R(through_tf32(v));
    case 5: return v * R(1.001);
    case 6: return v * R(1.005);
    case 7: return v * R(1.01);
    case 8: return index % 509 == 100 ? R(0) : v;               // a bound that is never reached in some tiles
    case 9: return row == rows - 1 ? R(0) : v;                  // the last row
    case 10: return column == columns - 1 ? R(0) : v;           // the last column
    case 11: return index % 257 == 31 ? v * 2 : v;              // added twice
    case 12: return row % 8 == 3 ? v * R(1.02) : v;             // one warp of eight
    case 13: return column >= columns / 8 * 8 - 8 && row == 5 ? v * R(0.5) : v;  // half of one tile
    case 14: return column % 32 == 17 ? v * R(0.97) : v;        // one lane
    case 15: return -v;
    case 16: return mixed(index) % 600 == 0 ? -v : v;
    case 17: return R(kE4M3.round(v));
  }
  return v;
}
// Stores floating results, after the mistake OUT.
template <class R> void store(Stored* out, int64_t row, int64_t column, int64_t rows, int64_t columns, R v) {
  out[row * columns + column] = put(spoiled(v, row, column, rows, columns), OUT == 1 ? kCut : kNearest);
}
template <class R> void store_float(float* out, int64_t row, int64_t column, int64_t rows, int64_t columns, R v) {
  out[row * columns + column] = float(spoiled(v, row, column, rows, columns));
}
