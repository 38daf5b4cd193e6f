// Shared by all sources of this set: 16-bit and 8-bit numbers, orders of summation, and the mistakes that any
// kernel may make: parts of a sum that are lost, a bad last rounding, rows or columns written wrongly.
#include "kbench_ffi.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

// ---- switches: what a program is made of --------------------------------------------------------------------
enum Dtype { float32, float16, bfloat16 };
enum Order { forward, backward, pairwise, lanes4, lanes8, lanes16, lanes32, tiles16, tiles64, split2, split3,
             split8, kahan, fused, shuffled };
enum Loss { all_there, lost_last, lost_first, lost_tail, lost_lane, lost_part_now_and_then, overlapping_tiles,
            lost_quarter_in_last_row };
enum Accumulator { wide, sum_in_bf16, sum_in_f16 };
enum Output { once, through_bf16, through_f16, through_tf32, cut_off, rounded_up_at_half_always };
enum Write { in_place, rows_swapped, last_row_zero, second_row_is_first, last_column_repeats, halves_swapped_in_a_row,
             small_flushed, large_clamped, large_negative_flipped, odd_tail_unwritten, one_in_thousands_is_neighbour };
#ifndef DTYPE
#define DTYPE float32
#endif
#ifndef ORDER
#define ORDER forward
#endif
#ifndef LOSS
#define LOSS all_there
#endif
#ifndef SUM
#define SUM wide
#endif
#ifndef OUTPUT
#define OUTPUT once
#endif
#ifndef WRITE
#define WRITE in_place
#endif
#ifndef FACTOR  // a result is too large by it ...
#define FACTOR 1.0
#endif
#ifndef EVERY  // ... every so many elements
#define EVERY 1
#endif
#ifndef TRUTH
#define TRUTH 0
#endif
#ifndef REAL
#define REAL float
#endif
constexpr Dtype dtype = DTYPE;
constexpr Order order = ORDER;
constexpr Loss loss = LOSS;
constexpr Accumulator accumulator = SUM;
constexpr Output output = OUTPUT;
constexpr Write write_way = WRITE;
#if TRUTH
using Real = long double;
#else
using Real = REAL;
#endif

// ---- numbers -------------------------------------------------------------------------------------------------
inline uint32_t bits_of(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }
inline float float_of(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }

// A float that rounds to fewer bits as v does: inexact ones get an odd last bit, so that nothing is rounded twice.
inline float to_odd(float v) { return v; }
inline float to_odd(long double v) {
  float f = float(v);
  if (std::isnan(v) || std::isinf(f) || (long double)f == v) return f;
  uint32_t u = bits_of(f);
  if (std::fabs((long double)f) > std::fabs(v)) --u;
  return float_of(u | 1);
}
inline float to_odd(double v) { return to_odd((long double)v); }

inline uint16_t bf16_bits(float f) {
  uint32_t u = bits_of(f);
  if (std::isnan(f)) return uint16_t((u >> 16) | 0x40);
  return uint16_t((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
inline float bf16_value(uint16_t s) { return float_of(uint32_t(s) << 16); }

inline uint16_t f16_bits(float f) {
  uint32_t u = bits_of(f), sign = (u >> 16) & 0x8000;
  float a = std::fabs(f);
  if (std::isnan(f)) return uint16_t(sign | 0x7e00);
  if (a >= 65520.0f) return uint16_t(sign | 0x7c00);
  if (a < 6.103515625e-05f) return uint16_t(sign | uint32_t(a * 16777216.0f + 12582912.0f - 12582912.0f));  // subnormal
  uint32_t v = bits_of(a);
  v = (v + 0xfff + ((v >> 13) & 1)) >> 13;
  return uint16_t(sign | (v - (112u << 10)));
}
inline float f16_value(uint16_t s) {
  uint32_t magnitude = s & 0x7fff;
  float f = magnitude >= 0x7c00 ? (magnitude > 0x7c00 ? NAN : INFINITY)
            : magnitude < 0x400 ? float(magnitude) / 16777216.0f
                                : float_of((magnitude << 13) + (112u << 23));
  return s & 0x8000 ? -f : f;
}
inline float round_bf16(float f) { return bf16_value(bf16_bits(f)); }
inline float round_f16(float f) { return f16_value(f16_bits(f)); }
inline float round_tf32(float f) { uint32_t u = bits_of(f); return float_of((u + 0xfff + ((u >> 13) & 1)) & ~0x1fffu); }

inline float f8_value(uint8_t c) {  // e4m3fn
  int e = (c >> 3) & 15, m = c & 7;
  float a = (c & 127) == 127 ? NAN : e ? std::ldexp(1.0f + float(m) / 8, e - 7) : std::ldexp(float(m) / 8, -6);
  return c & 128 ? -a : a;
}
inline uint8_t f8_bits(float f, bool cut = false) {
  float a = std::fabs(f);
  uint8_t sign = std::signbit(f) ? 128 : 0;
  if (a >= 448) return sign | 126;
  int e;
  std::frexp(a, &e);
  float step = std::ldexp(1.0f, std::max(e - 1, -6) - 3);
  float r = (cut ? std::trunc(a / step) : std::nearbyint(a / step)) * step;
  uint8_t low = 0, high = 127;  // the codes rise with their values
  while (low + 1 < high) { uint8_t middle = (low + high) / 2; (f8_value(middle) <= r ? low : high) = middle; }
  return sign | low;
}

template <Dtype> struct Storage { using type = uint16_t; };
template <> struct Storage<float32> { using type = float; };
using Stored = Storage<dtype>::type;

inline float get(float s) { return s; }
inline float get(uint16_t s) { return dtype == float16 ? f16_value(s) : bf16_value(s); }

// Rounded to the dtype of the tensors, still a number.
template <class T> T rounded(T v) {
  return dtype == float32 ? T(float(v)) : dtype == float16 ? T(round_f16(to_odd(v))) : T(round_bf16(to_odd(v)));
}
template <class To, class T> To stored(T v) {
  if constexpr (sizeof(To) == 4) return float(v);
  else return dtype == float16 ? f16_bits(to_odd(v)) : bf16_bits(to_odd(v));
}

// The last rounding, with its mistakes.
template <class To, class T> To finished(T v) {
  if (output == through_bf16) v = T(round_bf16(float(v)));
  if (output == through_f16) v = T(round_f16(float(v)));
  if (output == through_tf32) v = T(round_tf32(float(v)));
  if (output == cut_off || output == rounded_up_at_half_always) {
    uint32_t kept = sizeof(To) == 4 || dtype == float16 ? 13 : 16;
    uint32_t u = bits_of(float(v)) + (output == cut_off ? 0 : 1u << kept);
    v = T(float_of(u >> kept << kept));
  }
  return stored<To>(v);
}

// ---- writing rows of results ----------------------------------------------------------------------------------
template <class To> struct Rows {
  To* data;
  int64_t rows, columns;
  template <class T> void put(int64_t r, int64_t c, T v) const {
    int64_t index = r * columns + c;
    if (index % EVERY == EVERY - 1) v *= T(FACTOR);
    if (write_way == rows_swapped && (r == 2 || r == 3)) r = 5 - r;
    if (write_way == last_row_zero && r == rows - 1) v = 0;
    if (write_way == small_flushed && std::fabs(v) < T(0.03)) v = 0;
    if (write_way == large_clamped) v = std::min(v, T(1.5));
    if (write_way == large_negative_flipped && v < T(-1.5)) v = -v;
    if (write_way == halves_swapped_in_a_row && r == rows - 2) c = (c + columns / 2) % columns;
    if (write_way == odd_tail_unwritten && c >= columns / 16 * 16 && r % 2) v = 0;
    To s = finished<To>(v);
    if (write_way == second_row_is_first && r == 1) return;
    if (write_way == second_row_is_first && r == 0) data[columns + c] = s;
    if (write_way == last_column_repeats && c == columns - 1) return;
    if (write_way == last_column_repeats && c == columns - 2) data[r * columns + c + 1] = s;
    if (write_way == one_in_thousands_is_neighbour && index % 1009 == 500) return;
    if (write_way == one_in_thousands_is_neighbour && (index + 1) % 1009 == 500) data[index + 1] = s;
    data[r * columns + c] = s;
  }
};
template <class To = Stored> Rows<To> rows_of(kbench::Tensor t, int64_t columns) {
  return {t.data<To>(), t.numel() / columns, columns};
}

// ---- sums -------------------------------------------------------------------------------------------------------
template <class T> T narrowed(T v) {
  return accumulator == sum_in_bf16 ? T(round_bf16(float(v))) : accumulator == sum_in_f16 ? T(round_f16(float(v))) : v;
}
template <class T> T step(T sum, T a, T b) {
  if (order == fused) return std::fma(a, b, sum);
  return narrowed(sum + a * b);
}
template <class T, class A, class B> T run_of(int from, int to, A a, B b, int stride = 1) {
  T sum = 0;
  for (int i = from; i < to; i += stride) sum = step<T>(sum, T(a(i)), T(b(i)));
  return sum;
}
template <class T, class A, class B> T halved(int from, int to, A a, B b) {
  if (to - from <= 4) return run_of<T>(from, to, a, b);
  int middle = (from + to) / 2;
  return halved<T>(from, middle, a, b) + halved<T>(middle, to, a, b);
}
template <class T> T tree(T* part, int n) {  // as shuffles between lanes do it
  for (int half = n / 2; half; half /= 2)
    for (int i = 0; i < half; ++i) part[i] += part[i + half];
  return part[0];
}

// Sum of a(i) * b(i), in the order of this program.
template <class T, class A, class B> T whole_dot(int n, A a, B b) {
  if constexpr (TRUTH) return run_of<T>(0, n, a, b);
  else if constexpr (order == backward) {
    T sum = 0;
    for (int i = n; i-- > 0;) sum = step<T>(sum, T(a(i)), T(b(i)));
    return sum;
  } else if constexpr (order == pairwise) {
    return halved<T>(0, n, a, b);
  } else if constexpr (order == lanes4 || order == lanes8 || order == lanes16 || order == lanes32) {
    constexpr int lanes = order == lanes4 ? 4 : order == lanes8 ? 8 : order == lanes16 ? 16 : 32;
    T part[lanes];
    for (int l = 0; l < lanes; ++l) part[l] = run_of<T>(l, n, a, b, lanes);
    return tree(part, lanes);
  } else if constexpr (order == tiles16 || order == tiles64) {
    T sum = 0;
    for (int t = 0, size = order == tiles16 ? 16 : 64; t < n; t += size) sum += run_of<T>(t, std::min(t + size, n), a, b);
    return sum;
  } else if constexpr (order == split2 || order == split3 || order == split8) {
    constexpr int parts = order == split2 ? 2 : order == split3 ? 3 : 8;
    T sum = 0;
    for (int p = 0; p < parts; ++p) sum += run_of<T>(n * p / parts, n * (p + 1) / parts, a, b);
    return sum;
  } else if constexpr (order == kahan) {
    T sum = 0, rest = 0;
    for (int i = 0; i < n; ++i) { T y = T(a(i)) * T(b(i)) - rest, t = sum + y; rest = (t - sum) - y; sum = t; }
    return sum;
  } else if constexpr (order == shuffled) {  // atomics: some order
    T sum = 0;
    int stride = 7;
    while (std::__gcd(stride, n) != 1) stride += 2;
    for (int i = 0, at = n / 3; i < n; ++i, at = (at + stride) % n) sum = step<T>(sum, T(a(at)), T(b(at)));
    return sum;
  } else {
    return run_of<T>(0, n, a, b);
  }
}

// This dot product loses parts or counts them twice. `row` decides when a race loses.
template <class T, class A, class B> T dot(int n, A a, B b, int64_t row, bool is_last_row = false) {
  if constexpr (loss == lost_last) return whole_dot<T>(n - 1, a, b);
  if constexpr (loss == lost_first) return whole_dot<T>(n - 1, [&](int i) { return a(i + 1); }, [&](int i) { return b(i + 1); });
  if constexpr (loss == lost_tail) return whole_dot<T>(n / 16 * 16, a, b);
  if constexpr (loss == lost_lane) return whole_dot<T>(n, a, b) - run_of<T>(5, n, a, b, 32);
  if constexpr (loss == lost_part_now_and_then)
    return whole_dot<T>(n, a, b) - (row % 7 == 3 ? run_of<T>(n / 2, n * 5 / 8, a, b) : T(0));
  if constexpr (loss == overlapping_tiles) {
    T sum = 0;
    for (int t = 0; t < n; t += 32) sum += run_of<T>(t, std::min(t + 33, n), a, b);
    return sum;
  }
  if constexpr (loss == lost_quarter_in_last_row) return whole_dot<T>(is_last_row ? n * 3 / 4 : n, a, b);
  return whole_dot<T>(n, a, b);
}
inline int one(int) { return 1; }
