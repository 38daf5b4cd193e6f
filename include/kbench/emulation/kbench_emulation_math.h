// SPDX-License-Identifier: Apache-2.0
// Arithmetic functions of CUDA. Approximate ones are the C library's, rounded to their type: a
// device's differ from these by a few units of the last place.
#ifndef KBENCH_EMULATION_MATH_H_
#define KBENCH_EMULATION_MATH_H_

#include <kbench_emulation_atomics.h>

#include <cmath>
#include <limits>

namespace kbench_emulation {

// Rounds to an integer type as cvt does: to the nearest in range, NaN to 0.
template <typename To, typename From>
KB_DEVICE To to_integer(From rounded) {
  constexpr From two_to_digits =
      static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * static_cast<From>(2);
  if (rounded != rounded)
    return sizeof(To) == 8 ? static_cast<To>(To{1} << (sizeof(To) * 8 - 1)) : 0;
  if (rounded >= two_to_digits) return std::numeric_limits<To>::max();
  if (rounded < static_cast<From>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(rounded);
}

// Returns a * b + c without any rounding but to odd, so that a later rounding to a smaller format
// is the only one. The product of two small numbers is exact.
KB_DEVICE double fma_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  if (!(sum - sum == 0)) return sum;  // NaN, infinity
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const uint64_t bits = cast_bits<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool is_away = (error > 0) == (sum > 0);
  return cast_bits<double>(is_away ? bits + 1 : bits - 1);
}

// Rounds a double, exact or rounded to odd, once more to a float.
enum class Round { nearest, zero, down, up };
// Computes a * b + c for to_float() and its like: a sum that cancels is -0 where it is rounded
// down, else +0.
KB_DEVICE double fma_towards(double a, double b, double c, Round how) {
  const double sum = fma_to_odd(a, b, c);
  const bool cancels = sum == 0 && std::signbit(a * b) != std::signbit(c);
  return cancels && how == Round::down ? -0.0 : sum;
}
KB_DEVICE float to_float(double x, Round how) {
  const float nearest = static_cast<float>(x);
  const double back = nearest;
  const float lower = back > x ? std::nextafterf(nearest, -INFINITY) : nearest;
  const float upper = back < x ? std::nextafterf(nearest, INFINITY) : nearest;
  switch (how) {
    case Round::down:
      return lower;
    case Round::up:
      return upper;
    case Round::zero:
      return x < 0 ? upper : lower;
    case Round::nearest:
      break;
  }
  return nearest;
}

KB_DEVICE float fma_to_float(double a, double b, double c, Round how) {
  return to_float(fma_towards(a, b, c, how), how);
}

}  // namespace kbench_emulation

#define KB_MINMAX(type)                                                  \
  KB_DEVICE constexpr type min(type a, type b) { return b < a ? b : a; } \
  KB_DEVICE constexpr type max(type a, type b) { return a < b ? b : a; }
KB_MINMAX(int)
KB_MINMAX(unsigned)
KB_MINMAX(long)
KB_MINMAX(unsigned long)
KB_MINMAX(long long)
KB_MINMAX(unsigned long long)
#undef KB_MINMAX
KB_DEVICE unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
KB_DEVICE unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
KB_DEVICE unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
KB_DEVICE unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
#define KB_MINMAX(one, two)                                    \
  KB_DEVICE auto min(one a, two b) { return std::fmin(a, b); } \
  KB_DEVICE auto max(one a, two b) { return std::fmax(a, b); }
KB_MINMAX(float, float)
KB_MINMAX(double, double)
KB_MINMAX(float, double)
KB_MINMAX(double, float)
#undef KB_MINMAX
KB_DEVICE unsigned umin(unsigned a, unsigned b) { return min(a, b); }
KB_DEVICE unsigned umax(unsigned a, unsigned b) { return max(a, b); }

// Approximations.
KB_DEVICE float __expf(float x) { return expf(x); }
KB_DEVICE float __exp10f(float x) { return static_cast<float>(::pow(10.0, x)); }
KB_DEVICE float __logf(float x) { return logf(x); }
KB_DEVICE float __log2f(float x) { return log2f(x); }
KB_DEVICE float __log10f(float x) { return log10f(x); }
KB_DEVICE float __powf(float x, float y) { return powf(x, y); }
KB_DEVICE float __sinf(float x) { return sinf(x); }
KB_DEVICE float __cosf(float x) { return cosf(x); }
KB_DEVICE float __tanf(float x) { return tanf(x); }
KB_DEVICE float __tanhf(float x) { return tanhf(x); }
KB_DEVICE void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
// Devices take the reciprocal of such large divisors as 0.
KB_DEVICE float __fdividef(float x, float y) {
  const float size = fabsf(y);
  return size > 0x1p126f && size < INFINITY ? x * 0.0f : x / y;
}
KB_DEVICE float fdividef(float x, float y) { return x / y; }
KB_DEVICE float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
KB_DEVICE float __frsqrt_rn(float x) {
  return static_cast<float>(1 / ::sqrt(static_cast<double>(x)));
}

KB_DEVICE float rsqrtf(float x) { return __frsqrt_rn(x); }
KB_DEVICE double rsqrt(double x) { return 1 / ::sqrt(x); }
KB_DEVICE float rsqrt(float x) { return rsqrtf(x); }
KB_DEVICE float rcbrtf(float x) { return static_cast<float>(1 / ::cbrt(static_cast<double>(x))); }
KB_DEVICE float sinpif(float x) { return static_cast<float>(::sin(x * 3.14159265358979323846)); }
KB_DEVICE float cospif(float x) { return static_cast<float>(::cos(x * 3.14159265358979323846)); }
KB_DEVICE double sinpi(double x) { return ::sin(x * 3.14159265358979323846); }
KB_DEVICE double cospi(double x) { return ::cos(x * 3.14159265358979323846); }
KB_DEVICE float normcdff(float x) {
  return static_cast<float>(0.5 * ::erfc(-x * 0.70710678118654752440));
}
KB_DEVICE double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
KB_DEVICE float norm3df(float x, float y, float z) {
  return static_cast<float>(::hypot(::hypot(x, y), z));
}

// Operations with a rounding of their own.
#define KB_ROUNDED(suffix, how)                                                           \
  KB_DEVICE float __fmaf_##suffix(float a, float b, float c) {                            \
    return kbench_emulation::fma_to_float(a, b, c, kbench_emulation::Round::how);         \
  }                                                                                       \
  KB_DEVICE float __fadd_##suffix(float a, float b) { return __fmaf_##suffix(1, a, b); }  \
  KB_DEVICE float __fsub_##suffix(float a, float b) { return __fmaf_##suffix(-1, b, a); } \
  KB_DEVICE float __double2float_##suffix(double x) {                                     \
    return kbench_emulation::to_float(x, kbench_emulation::Round::how);                   \
  }                                                                                       \
  KB_DEVICE float __fmul_##suffix(float a, float b) {                                     \
    return __double2float_##suffix(double{a} * b);                                        \
  }                                                                                       \
  KB_DEVICE float __int2float_##suffix(int x) { return __double2float_##suffix(x); }      \
  KB_DEVICE float __uint2float_##suffix(unsigned x) { return __double2float_##suffix(x); }
KB_ROUNDED(rz, zero)
KB_ROUNDED(rd, down)
KB_ROUNDED(ru, up)
#undef KB_ROUNDED
KB_DEVICE float __fadd_rn(float a, float b) { return a + b; }
KB_DEVICE float __fsub_rn(float a, float b) { return a - b; }
KB_DEVICE float __fmul_rn(float a, float b) { return a * b; }
KB_DEVICE float __fdiv_rn(float a, float b) { return a / b; }
KB_DEVICE float __frcp_rn(float a) { return 1 / a; }
KB_DEVICE float __fsqrt_rn(float a) { return sqrtf(a); }
KB_DEVICE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
KB_DEVICE float __fmaf_ieee_rn(float a, float b, float c) { return fmaf(a, b, c); }
KB_DEVICE double __dadd_rn(double a, double b) { return a + b; }
KB_DEVICE double __dsub_rn(double a, double b) { return a - b; }
KB_DEVICE double __dmul_rn(double a, double b) { return a * b; }
KB_DEVICE double __ddiv_rn(double a, double b) { return a / b; }
KB_DEVICE double __drcp_rn(double a) { return 1 / a; }
KB_DEVICE double __dsqrt_rn(double a) { return ::sqrt(a); }
KB_DEVICE double __fma_rn(double a, double b, double c) { return ::fma(a, b, c); }
KB_DEVICE float __double2float_rn(double x) { return static_cast<float>(x); }
KB_DEVICE float __int2float_rn(int x) { return static_cast<float>(x); }
KB_DEVICE float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
KB_DEVICE float __ll2float_rn(long long x) { return static_cast<float>(x); }
KB_DEVICE float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
KB_DEVICE double __int2double_rn(int x) { return x; }
KB_DEVICE double __uint2double_rn(unsigned x) { return x; }
KB_DEVICE double __ll2double_rn(long long x) { return static_cast<double>(x); }
KB_DEVICE double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }

#define KB_TO_INTEGER(from, to, F, T)                                                              \
  KB_DEVICE T __##from##2##to##_rn(F x) {                                                          \
    return kbench_emulation::to_integer<T>(std::nearbyint(x));                                     \
  }                                                                                                \
  KB_DEVICE T __##from##2##to##_rz(F x) { return kbench_emulation::to_integer<T>(std::trunc(x)); } \
  KB_DEVICE T __##from##2##to##_rd(F x) { return kbench_emulation::to_integer<T>(std::floor(x)); } \
  KB_DEVICE T __##from##2##to##_ru(F x) { return kbench_emulation::to_integer<T>(std::ceil(x)); }
KB_TO_INTEGER(float, int, float, int)
KB_TO_INTEGER(float, uint, float, unsigned)
KB_TO_INTEGER(float, ll, float, long long)
KB_TO_INTEGER(float, ull, float, unsigned long long)
KB_TO_INTEGER(double, int, double, int)
KB_TO_INTEGER(double, uint, double, unsigned)
KB_TO_INTEGER(double, ll, double, long long)
KB_TO_INTEGER(double, ull, double, unsigned long long)
#undef KB_TO_INTEGER

// Bits.
KB_DEVICE int __float_as_int(float x) { return kbench_emulation::cast_bits<int>(x); }
KB_DEVICE unsigned __float_as_uint(float x) { return kbench_emulation::cast_bits<unsigned>(x); }
KB_DEVICE float __int_as_float(int x) { return kbench_emulation::cast_bits<float>(x); }
KB_DEVICE float __uint_as_float(unsigned x) { return kbench_emulation::cast_bits<float>(x); }
KB_DEVICE long long __double_as_longlong(double x) {
  return kbench_emulation::cast_bits<long long>(x);
}
KB_DEVICE double __longlong_as_double(long long x) {
  return kbench_emulation::cast_bits<double>(x);
}
KB_DEVICE int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
KB_DEVICE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
KB_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}
KB_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
KB_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
KB_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
KB_DEVICE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
KB_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
KB_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
KB_DEVICE unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}
KB_DEVICE unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
KB_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(both >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
  return result;
}
KB_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
KB_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}

// Integers.
KB_DEVICE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
KB_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
KB_DEVICE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
KB_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
KB_DEVICE int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
KB_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
KB_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return c + static_cast<unsigned>(a < b ? static_cast<long long>(b) - a
                                         : static_cast<long long>(a) - b);
}
KB_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}
KB_DEVICE int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
KB_DEVICE int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
KB_DEVICE unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
KB_DEVICE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8)
    c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
  return c;
}
KB_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}
#define KB_DP2A(name, first, type, half, byte)                               \
  KB_DEVICE type name(type a, type b, type c) {                              \
    return c + static_cast<half>(a) * static_cast<byte>(b >> first) +        \
           static_cast<half>(a >> 16) * static_cast<byte>(b >> (first + 8)); \
  }
KB_DP2A(__dp2a_lo, 0, int, short, signed char)
KB_DP2A(__dp2a_hi, 16, int, short, signed char)
KB_DP2A(__dp2a_lo, 0, unsigned, unsigned short, unsigned char)
KB_DP2A(__dp2a_hi, 16, unsigned, unsigned short, unsigned char)
#undef KB_DP2A

// Two halves or four bytes of a word at once.
#define KB_PARTS(name, T, expression)                                                         \
  KB_DEVICE unsigned name(unsigned x, unsigned y) {                                           \
    using Limits [[maybe_unused]] = std::numeric_limits<T>;                                   \
    unsigned result = 0;                                                                      \
    for (unsigned i = 0; i < 32; i += 8 * sizeof(T)) {                                        \
      const int a = static_cast<T>(x >> i), b = static_cast<T>(y >> i);                       \
      result |= static_cast<unsigned>(static_cast<std::make_unsigned_t<T>>(expression)) << i; \
    }                                                                                         \
    return result;                                                                            \
  }
#define KB_BOTH(name, end, T, expression) \
  KB_PARTS(name##s##end, T, expression)   \
  KB_PARTS(name##u##end, std::make_unsigned_t<T>, expression)
#define KB_SIMD(n, T)                                                       \
  KB_PARTS(__vadd##n, T, a + b)                                             \
  KB_PARTS(__vsub##n, T, a - b)                                             \
  KB_BOTH(__vadd, s##n, T, min(max(a + b, Limits::min()), Limits::max()))   \
  KB_BOTH(__vsub, s##n, T, min(max(a - b, Limits::min()), Limits::max()))   \
  KB_BOTH(__vavg, n, T, (a + b + (a + b >= 0)) >> 1)                        \
  KB_PARTS(__vhaddu##n, std::make_unsigned_t<T>, (a + b) >> 1)              \
  KB_BOTH(__vmax, n, T, max(a, b))                                          \
  KB_BOTH(__vmin, n, T, min(a, b))                                          \
  KB_BOTH(__vabsdiff, n, T, max(a, b) - min(a, b))                          \
  KB_PARTS(__vcmpeq##n, T, -(a == b))                                       \
  KB_PARTS(__vseteq##n, T, a == b)                                          \
  KB_PARTS(__vcmpne##n, T, -(a != b))                                       \
  KB_PARTS(__vsetne##n, T, a != b)                                          \
  KB_BOTH(__vcmpgt, n, T, -(a > b))                                         \
  KB_BOTH(__vsetgt, n, T, a > b)                                            \
  KB_BOTH(__vcmpge, n, T, -(a >= b))                                        \
  KB_BOTH(__vsetge, n, T, a >= b)                                           \
  KB_BOTH(__vcmplt, n, T, -(a < b))                                         \
  KB_BOTH(__vsetlt, n, T, a < b)                                            \
  KB_BOTH(__vcmple, n, T, -(a <= b))                                        \
  KB_BOTH(__vsetle, n, T, a <= b)                                           \
  KB_DEVICE unsigned __vneg##n(unsigned x) { return __vsub##n(0, x); }      \
  KB_DEVICE unsigned __vnegss##n(unsigned x) { return __vsubss##n(0, x); }  \
  KB_DEVICE unsigned __vabs##n(unsigned x) { return __vabsdiffs##n(x, 0); } \
  KB_DEVICE unsigned __vabsss##n(unsigned x) { return __vmaxs##n(x, __vnegss##n(x)); }
KB_SIMD(2, short)
KB_SIMD(4, signed char)
#undef KB_SIMD
#undef KB_BOTH
#undef KB_PARTS

KB_DEVICE void __builtin_assume_true(bool) {}
#define __builtin_assume(condition)            \
  do {                                         \
    if (!(condition)) __builtin_unreachable(); \
  } while (0)

#endif  // KBENCH_EMULATION_MATH_H_
