// SPDX-License-Identifier: Apache-2.0
// Types and functions of CUDA for one format of 16 bits, and for pairs. cuda_fp16.h and cuda_bf16.h
// include it with KB_T and KB_T2 as the types, KB_RAW and KB_RAW2 as their bits, KB_FORMAT as the
// format, and KB_NAME(a, b) and KB_NAME2(a, b) as the names around the type's and the pair's.
// Arithmetic is that of one operation, rounded once.

struct KB_RAW {
  unsigned short x;
};
struct alignas(4) KB_RAW2 {
  unsigned short x, y;
};

struct alignas(2) KB_T {
  unsigned short __x;

  KB_T() = default;
  KB_DEVICE KB_T(const KB_RAW& raw) : __x(raw.x) {}
  KB_DEVICE operator KB_RAW() const { return {__x}; }
#ifdef KB_HAS_CONVERSIONS
  KB_DEVICE KB_T(float x) : __x(KB_FORMAT::from(x)) {}
  KB_DEVICE KB_T(double x) : __x(KB_FORMAT::from(x)) {}
  KB_DEVICE KB_T(int x) : __x(KB_FORMAT::from(x)) {}
  KB_DEVICE KB_T(unsigned x) : __x(KB_FORMAT::from(x)) {}
  KB_DEVICE KB_T(short x) : __x(KB_FORMAT::from(x)) {}
  KB_DEVICE KB_T(unsigned short x) : __x(KB_FORMAT::from(x)) {}
  KB_DEVICE KB_T(long x) : __x(KB_FORMAT::from(static_cast<double>(x))) {}
  KB_DEVICE KB_T(unsigned long x) : __x(KB_FORMAT::from(static_cast<double>(x))) {}
  KB_DEVICE KB_T(long long x) : __x(KB_FORMAT::from(static_cast<double>(x))) {}
  KB_DEVICE KB_T(unsigned long long x) : __x(KB_FORMAT::from(static_cast<double>(x))) {}
  KB_DEVICE operator float() const { return KB_FORMAT::value(__x); }
#endif
};

struct alignas(4) KB_T2 {
  KB_T x, y;

  KB_T2() = default;
  KB_DEVICE KB_T2(const KB_T& x_, const KB_T& y_) : x(x_), y(y_) {}
  KB_DEVICE KB_T2(const KB_RAW2& raw) : x(KB_RAW{raw.x}), y(KB_RAW{raw.y}) {}
  KB_DEVICE operator KB_RAW2() const { return {x.__x, y.__x}; }
};

// Conversions.
KB_DEVICE float KB_NAME(__, 2float)(KB_T x) { return KB_FORMAT::value(x.__x); }
KB_DEVICE KB_T KB_NAME(__ushort_as_, )(unsigned short x) { return KB_RAW{x}; }
KB_DEVICE KB_T KB_NAME(__short_as_, )(short x) { return KB_RAW{static_cast<unsigned short>(x)}; }
KB_DEVICE unsigned short KB_NAME(__, _as_ushort)(KB_T x) { return x.__x; }
KB_DEVICE short KB_NAME(__, _as_short)(KB_T x) { return static_cast<short>(x.__x); }

#define KB_FROM_NUMBER(type, word)                                                         \
  KB_DEVICE KB_T KB_NAME(__##word##2, _rn)(type x) {                                       \
    return KB_RAW{KB_FORMAT::from(static_cast<double>(x))};                                \
  }                                                                                        \
  KB_DEVICE KB_T KB_NAME(__##word##2, _rz)(type x) {                                       \
    return KB_RAW{KB_FORMAT::from(static_cast<double>(x), kbench_emulation::Round::zero)}; \
  }                                                                                        \
  KB_DEVICE KB_T KB_NAME(__##word##2, _rd)(type x) {                                       \
    return KB_RAW{KB_FORMAT::from(static_cast<double>(x), kbench_emulation::Round::down)}; \
  }                                                                                        \
  KB_DEVICE KB_T KB_NAME(__##word##2, _ru)(type x) {                                       \
    return KB_RAW{KB_FORMAT::from(static_cast<double>(x), kbench_emulation::Round::up)};   \
  }
KB_FROM_NUMBER(float, float)
KB_FROM_NUMBER(int, int)
KB_FROM_NUMBER(unsigned, uint)
KB_FROM_NUMBER(short, short)
KB_FROM_NUMBER(unsigned short, ushort)
KB_FROM_NUMBER(long long, ll)
KB_FROM_NUMBER(unsigned long long, ull)
#undef KB_FROM_NUMBER
KB_DEVICE KB_T KB_NAME(__float2, )(float x) { return KB_RAW{KB_FORMAT::from(x)}; }
KB_DEVICE KB_T KB_NAME(__double2, )(double x) { return KB_RAW{KB_FORMAT::from(x)}; }

#define KB_TO_NUMBER(type, to)                                                          \
  KB_DEVICE type KB_NAME(__, 2##to##_rn)(KB_T x) {                                      \
    return kbench_emulation::to_integer<type>(std::nearbyint(KB_FORMAT::value(x.__x))); \
  }                                                                                     \
  KB_DEVICE type KB_NAME(__, 2##to##_rz)(KB_T x) {                                      \
    return kbench_emulation::to_integer<type>(std::trunc(KB_FORMAT::value(x.__x)));     \
  }                                                                                     \
  KB_DEVICE type KB_NAME(__, 2##to##_rd)(KB_T x) {                                      \
    return kbench_emulation::to_integer<type>(std::floor(KB_FORMAT::value(x.__x)));     \
  }                                                                                     \
  KB_DEVICE type KB_NAME(__, 2##to##_ru)(KB_T x) {                                      \
    return kbench_emulation::to_integer<type>(std::ceil(KB_FORMAT::value(x.__x)));      \
  }
KB_TO_NUMBER(int, int)
KB_TO_NUMBER(unsigned, uint)
KB_TO_NUMBER(short, short)
KB_TO_NUMBER(unsigned short, ushort)
KB_TO_NUMBER(long long, ll)
KB_TO_NUMBER(unsigned long long, ull)
#undef KB_TO_NUMBER

// Pairs.
KB_DEVICE KB_T2 KB_NAME2(make_, )(KB_T x, KB_T y) { return {x, y}; }
KB_DEVICE KB_T2 KB_NAME2(__halves2, )(KB_T x, KB_T y) { return {x, y}; }
KB_DEVICE KB_T2 KB_NAME2(__floats2, _rn)(float x, float y) {
  return {KB_NAME(__float2, )(x), KB_NAME(__float2, )(y)};
}
KB_DEVICE KB_T2 KB_NAME2(__float2, _rn)(float x) { return KB_NAME2(__floats2, _rn)(x, x); }
KB_DEVICE KB_T2 KB_NAME2(__float22, _rn)(float2 x) { return KB_NAME2(__floats2, _rn)(x.x, x.y); }
KB_DEVICE float2 KB_NAME2(__, 2float2)(KB_T2 x) {
  return {KB_NAME(__, 2float)(x.x), KB_NAME(__, 2float)(x.y)};
}
KB_DEVICE float __low2float(KB_T2 x) { return KB_NAME(__, 2float)(x.x); }
KB_DEVICE float __high2float(KB_T2 x) { return KB_NAME(__, 2float)(x.y); }
KB_DEVICE KB_T KB_NAME(__low2, )(KB_T2 x) { return x.x; }
KB_DEVICE KB_T KB_NAME(__high2, )(KB_T2 x) { return x.y; }
KB_DEVICE KB_T2 KB_NAME2(__low2, )(KB_T2 x) { return {x.x, x.x}; }
KB_DEVICE KB_T2 KB_NAME2(__high2, )(KB_T2 x) { return {x.y, x.y}; }
KB_DEVICE KB_T2 KB_NAME2(__lows2, )(KB_T2 a, KB_T2 b) { return {a.x, b.x}; }
KB_DEVICE KB_T2 KB_NAME2(__highs2, )(KB_T2 a, KB_T2 b) { return {a.y, b.y}; }
KB_DEVICE KB_T2 __lowhigh2highlow(KB_T2 x) { return {x.y, x.x}; }

namespace kbench_emulation {

KB_DEVICE KB_T rounded(double x, const KB_T*) { return KB_RAW{KB_FORMAT::from(x)}; }
KB_DEVICE double value_of(KB_T x) { return KB_FORMAT::value(x.__x); }
KB_DEVICE KB_T saturated(KB_T x) {
  return KB_RAW{KB_FORMAT::from(__saturatef(KB_FORMAT::value(x.__x)))};
}
KB_DEVICE KB_T without_negative(KB_T x) {
  return KB_RAW{KB_FORMAT::from(larger(KB_FORMAT::value(x.__x), 0.0f, true))};
}

}  // namespace kbench_emulation

// Arithmetic, on one and on two.
#define KB_OPERATION(name, expression)                                                   \
  KB_DEVICE KB_T name(KB_T a_, KB_T b_) {                                                \
    const double a = kbench_emulation::value_of(a_), b = kbench_emulation::value_of(b_); \
    return kbench_emulation::rounded(expression, static_cast<KB_T*>(nullptr));           \
  }                                                                                      \
  KB_DEVICE KB_T2 name##2(KB_T2 a, KB_T2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define KB_SATURATED(name)                                                                      \
  KB_DEVICE KB_T name##_sat(KB_T a, KB_T b) { return kbench_emulation::saturated(name(a, b)); } \
  KB_DEVICE KB_T2 name##2_sat(KB_T2 a, KB_T2 b) {                                               \
    return {name##_sat(a.x, b.x), name##_sat(a.y, b.y)};                                        \
  }
KB_OPERATION(__hadd, a + b)
KB_OPERATION(__hsub, a - b)
KB_OPERATION(__hmul, a* b)
KB_OPERATION(__hadd_rn, a + b)
KB_OPERATION(__hsub_rn, a - b)
KB_OPERATION(__hmul_rn, a* b)
KB_SATURATED(__hadd)
KB_SATURATED(__hsub)
KB_SATURATED(__hmul)
KB_DEVICE KB_T __hdiv(KB_T a, KB_T b) {
  return KB_RAW{KB_FORMAT::from(kbench_emulation::value_of(a) / kbench_emulation::value_of(b))};
}
KB_DEVICE KB_T2 __h2div(KB_T2 a, KB_T2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
KB_DEVICE KB_T __hfma(KB_T a, KB_T b, KB_T c) {
  return KB_RAW{KB_FORMAT::from(kbench_emulation::fma_to_odd(kbench_emulation::value_of(a),
                                                             kbench_emulation::value_of(b),
                                                             kbench_emulation::value_of(c)))};
}
KB_DEVICE KB_T __hfma_sat(KB_T a, KB_T b, KB_T c) {
  return kbench_emulation::saturated(__hfma(a, b, c));
}
KB_DEVICE KB_T __hfma_relu(KB_T a, KB_T b, KB_T c) {
  return kbench_emulation::without_negative(__hfma(a, b, c));
}
KB_DEVICE KB_T2 __hfma2(KB_T2 a, KB_T2 b, KB_T2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
KB_DEVICE KB_T2 __hfma2_sat(KB_T2 a, KB_T2 b, KB_T2 c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
KB_DEVICE KB_T2 __hfma2_relu(KB_T2 a, KB_T2 b, KB_T2 c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
#undef KB_SATURATED
#define KB_EXTREME(name, function, is_strict)                                                      \
  KB_DEVICE KB_T name(KB_T a, KB_T b) {                                                            \
    return KB_RAW{KB_FORMAT::from(                                                                 \
        kbench_emulation::function(KB_FORMAT::value(a.__x), KB_FORMAT::value(b.__x), is_strict))}; \
  }
KB_EXTREME(__hmax, larger, false)
KB_EXTREME(__hmin, smaller, false)
KB_EXTREME(__hmax_nan, larger, true)
KB_EXTREME(__hmin_nan, smaller, true)
#undef KB_EXTREME
KB_DEVICE KB_T2 __hmax2(KB_T2 a, KB_T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
KB_DEVICE KB_T2 __hmin2(KB_T2 a, KB_T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
KB_DEVICE KB_T2 __hmax2_nan(KB_T2 a, KB_T2 b) {
  return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};
}
KB_DEVICE KB_T2 __hmin2_nan(KB_T2 a, KB_T2 b) {
  return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)};
}
KB_DEVICE KB_T __hneg(KB_T x) { return KB_RAW{static_cast<unsigned short>(x.__x ^ 0x8000)}; }
KB_DEVICE KB_T __habs(KB_T x) { return KB_RAW{static_cast<unsigned short>(x.__x & 0x7fff)}; }
KB_DEVICE KB_T2 __hneg2(KB_T2 x) { return {__hneg(x.x), __hneg(x.y)}; }
KB_DEVICE KB_T2 __habs2(KB_T2 x) { return {__habs(x.x), __habs(x.y)}; }
KB_DEVICE bool __hisnan(KB_T x) { return KB_FORMAT::value(x.__x) != KB_FORMAT::value(x.__x); }
KB_DEVICE int __hisinf(KB_T x) {
  const float value = KB_FORMAT::value(x.__x);
  return std::isinf(value) ? (value < 0 ? -1 : 1) : 0;
}

// Comparisons: `u` ones hold where one is NaN.
#define KB_MASKS(name)                                                                    \
  KB_DEVICE unsigned __h##name##2_mask(KB_T2 a, KB_T2 b) {                                \
    return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); \
  }
#define KB_COMPARISON(name, operation)                                         \
  KB_DEVICE bool __h##name(KB_T a, KB_T b) {                                   \
    return KB_FORMAT::value(a.__x) operation KB_FORMAT::value(b.__x);          \
  }                                                                            \
  KB_DEVICE bool __h##name##u(KB_T a, KB_T b) {                                \
    return __hisnan(a) || __hisnan(b) || __h##name(a, b);                      \
  }                                                                            \
  KB_DEVICE KB_T2 __h##name##2(KB_T2 a, KB_T2 b) {                             \
    return KB_NAME2(__floats2, _rn)(__h##name(a.x, b.x), __h##name(a.y, b.y)); \
  }                                                                            \
  KB_DEVICE bool __hb##name##2(KB_T2 a, KB_T2 b) {                             \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                         \
  }                                                                            \
  KB_MASKS(name)                                                               \
  KB_MASKS(name##u)
KB_COMPARISON(eq, ==)
KB_COMPARISON(lt, <)
KB_COMPARISON(le, <=)
KB_COMPARISON(gt, >)
KB_COMPARISON(ge, >=)
#undef KB_COMPARISON
KB_DEVICE bool __hne(KB_T a, KB_T b) { return !__hisnan(a) && !__hisnan(b) && !__heq(a, b); }
KB_DEVICE bool __hneu(KB_T a, KB_T b) { return !__heq(a, b); }
KB_MASKS(ne)
KB_MASKS(neu)
#undef KB_MASKS
KB_DEVICE KB_T2 __hne2(KB_T2 a, KB_T2 b) {
  return KB_NAME2(__floats2, _rn)(__hne(a.x, b.x), __hne(a.y, b.y));
}
KB_DEVICE bool __hbne2(KB_T2 a, KB_T2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
KB_DEVICE KB_T2 __hisnan2(KB_T2 x) {
  return KB_NAME2(__floats2, _rn)(__hisnan(x.x), __hisnan(x.y));
}

// Functions, computed in double and rounded once.
#define KB_FUNCTION(name, expression)                \
  KB_DEVICE KB_T h##name(KB_T x_) {                  \
    const double x = kbench_emulation::value_of(x_); \
    return KB_RAW{KB_FORMAT::from(expression)};      \
  }                                                  \
  KB_DEVICE KB_T2 h2##name(KB_T2 x) { return {h##name(x.x), h##name(x.y)}; }
KB_FUNCTION(sqrt, ::sqrt(x))
KB_FUNCTION(rsqrt, 1 / ::sqrt(x))
KB_FUNCTION(rcp, 1 / x)
KB_FUNCTION(exp, ::exp(x))
KB_FUNCTION(exp2, ::exp2(x))
KB_FUNCTION(exp10, ::pow(10.0, x))
KB_FUNCTION(log, ::log(x))
KB_FUNCTION(log2, ::log2(x))
KB_FUNCTION(log10, ::log10(x))
KB_FUNCTION(sin, ::sin(x))
KB_FUNCTION(cos, ::cos(x))
KB_FUNCTION(tanh, ::tanh(x))
KB_FUNCTION(tanh_approx, ::tanh(x))
KB_FUNCTION(ceil, ::ceil(x))
KB_FUNCTION(floor, ::floor(x))
KB_FUNCTION(rint, ::nearbyint(x))
KB_FUNCTION(trunc, ::trunc(x))
#undef KB_FUNCTION
#undef KB_OPERATION

#define KB_ATOMIC(suffix)                                                                       \
  KB_DEVICE KB_T atomicAdd##suffix(KB_T* place, KB_T value) {                                   \
    return kbench_emulation::change(place, [value](KB_T old) { return __hadd(old, value); });   \
  }                                                                                             \
  KB_DEVICE KB_T2 atomicAdd##suffix(KB_T2* place, KB_T2 value) {                                \
    return kbench_emulation::change(place, [value](KB_T2 old) { return __hadd2(old, value); }); \
  }
KB_ATOMIC()
KB_ATOMIC(_block)
KB_ATOMIC(_system)
#undef KB_ATOMIC

#ifdef KB_HAS_OPERATORS
#define KB_ARITHMETIC(type, operation, function)                                             \
  KB_DEVICE type operator operation(const type& a, const type& b) { return function(a, b); } \
  KB_DEVICE type& operator operation##=(type& a, const type& b) { return a = function(a, b); }
KB_ARITHMETIC(KB_T, +, __hadd)
KB_ARITHMETIC(KB_T, -, __hsub)
KB_ARITHMETIC(KB_T, *, __hmul)
KB_ARITHMETIC(KB_T, /, __hdiv)
#ifdef KB_HAS_PAIR_OPERATORS
KB_ARITHMETIC(KB_T2, +, __hadd2)
KB_ARITHMETIC(KB_T2, -, __hsub2)
KB_ARITHMETIC(KB_T2, *, __hmul2)
KB_ARITHMETIC(KB_T2, /, __h2div)
KB_DEVICE KB_T2 operator-(const KB_T2& x) { return __hneg2(x); }
KB_DEVICE KB_T2 operator+(const KB_T2& x) { return x; }
KB_DEVICE bool operator==(const KB_T2& a, const KB_T2& b) { return __hbeq2(a, b); }
KB_DEVICE bool operator!=(const KB_T2& a, const KB_T2& b) { return !__hbeq2(a, b); }
#endif
#undef KB_ARITHMETIC
KB_DEVICE KB_T operator-(const KB_T& x) { return __hneg(x); }
KB_DEVICE KB_T operator+(const KB_T& x) { return x; }
KB_DEVICE KB_T& operator++(KB_T& x) { return x = __hadd(x, KB_RAW{KB_FORMAT::from(1)}); }
KB_DEVICE KB_T& operator--(KB_T& x) { return x = __hsub(x, KB_RAW{KB_FORMAT::from(1)}); }
KB_DEVICE bool operator==(const KB_T& a, const KB_T& b) { return __heq(a, b); }
KB_DEVICE bool operator!=(const KB_T& a, const KB_T& b) { return __hneu(a, b); }
KB_DEVICE bool operator<(const KB_T& a, const KB_T& b) { return __hlt(a, b); }
KB_DEVICE bool operator<=(const KB_T& a, const KB_T& b) { return __hle(a, b); }
KB_DEVICE bool operator>(const KB_T& a, const KB_T& b) { return __hgt(a, b); }
KB_DEVICE bool operator>=(const KB_T& a, const KB_T& b) { return __hge(a, b); }
#endif

#undef KB_T
#undef KB_T2
#undef KB_RAW
#undef KB_RAW2
#undef KB_FORMAT
#undef KB_NAME
#undef KB_NAME2
#undef KB_HAS_CONVERSIONS
#undef KB_HAS_OPERATORS
#undef KB_HAS_PAIR_OPERATORS
