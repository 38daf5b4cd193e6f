// What all programs of this set share: number formats, orders of sums, and bugs that any kernel can have.
// Compile-time switches, all of them plain words:
//   TRUTH          long double everywhere, one rounding at the end
//   DTYPE          0 float32, 1 float16, 2 bfloat16: what tensors of the definition's main dtype hold
//   ORDER          in which order sums are added up
//   WAY            another right formula or place of a rounding (words of the source)
//   BUG            what is wrong (words of the source, or one of those below)
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kbench_ffi.h"

#ifndef DTYPE
#define DTYPE 0
#endif
#ifndef ORDER
#define ORDER forward
#endif
#ifndef WAY
#define WAY plain
#endif
#ifndef BUG
#define BUG none
#endif
#ifndef RACE_PERIOD
#define RACE_PERIOD 97  // every how manyth sum a race spoils
#endif
#ifndef STALE_FROM
#define STALE_FROM 700  // the first element of the main output that is not written, with BUG one_element_in_a_thousand_is_stale
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
constexpr bool same(const char* a, const char* b) { return *a == *b && (*a == 0 || same(a + 1, b + 1)); }
template <bool B> struct Known { static constexpr bool value = B; };
#define IS_ORDER(word) (Known<same(TEXT(ORDER), #word)>::value)
#define IS_WAY(word) (Known<same(TEXT(WAY), #word)>::value)
#define HAS(word) (Known<same(TEXT(BUG), #word)>::value)

#ifdef TRUTH
using Real = long double;
constexpr bool is_truth = true;
#else
#ifdef IN_DOUBLE
using Real = double;
#else
using Real = float;
#endif
constexpr bool is_truth = false;
#endif

// ---- number formats
static uint32_t bits_of(float f) { uint32_t u; std::memcpy(&u, &f, 4); return u; }
static float of_bits(uint32_t u) { float f; std::memcpy(&f, &u, 4); return f; }

// A float that rounds to 16 bits as v does: a float that lies on a tie, of which v is beside, moves towards v.
static float without_tie(long double v, uint32_t dropped) {
  float f = float(v);
  if ((bits_of(f) & (2 * dropped - 1)) == dropped && f != v && std::isfinite(f)) f = std::nextafter(f, v > f ? INFINITY : -INFINITY);
  return f;
}
static float bf16_to_float(uint16_t s) { return of_bits(uint32_t(s) << 16); }
static uint16_t bf16_of(long double v, bool cut = false) {
  uint32_t u = bits_of(cut ? float(v) : without_tie(v, 0x8000));
  if ((u & 0x7fffffff) > 0x7f800000) return uint16_t((u >> 16) | 0x40);
  if (!cut) u += 0x7fff + ((u >> 16) & 1);
  return uint16_t(u >> 16);
}
static float f16_to_float(uint16_t s) {
  uint32_t sign = uint32_t(s & 0x8000) << 16, rest = s & 0x7fff;
  if (rest >= 0x7c00) return of_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  if (rest < 0x400) { float f = rest * 0x1p-24f; return sign ? -f : f; }
  return of_bits(sign | (rest + (112 << 10)) << 13);
}
static uint16_t f16_of(long double v, bool cut = false) {
  float f = cut ? float(v) : without_tie(v, 0x1000);
  uint32_t u = bits_of(f), sign = (u >> 16) & 0x8000, magnitude = u & 0x7fffffff;
  if (magnitude > 0x7f800000) return uint16_t(sign | 0x7e00);
  if (magnitude >= 0x477ff000 && !cut) return uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    float scaled = std::fabs(f) * 0x1p24f;
    return uint16_t(sign | uint32_t(cut ? std::floor(scaled) : std::nearbyint(scaled)));
  }
  magnitude -= 112u << 23;
  if (!cut) magnitude += 0xfff + ((magnitude >> 13) & 1);
  return uint16_t(sign | magnitude >> 13);
}
static float to_tf32(float f) { uint32_t u = bits_of(f); return of_bits((u + 0xfff + ((u >> 13) & 1)) & ~0x1fffu); }
static float to_bf16(float f) { return bf16_to_float(bf16_of(f)); }
static float to_f16(float f) { return f16_to_float(f16_of(f)); }

#if DTYPE == 0
using Stored = float;
static float get(Stored s) { return s; }
static Stored stored_of(Real v) { return Stored(v); }
constexpr float visible_gain = 1.001f;
#elif DTYPE == 1
using Stored = uint16_t;
static float get(Stored s) { return f16_to_float(s); }
static Stored stored_of(Real v) { return f16_of(v, HAS(cut_off_instead_of_rounded)); }
constexpr float visible_gain = 1.005f;
#else
using Stored = uint16_t;
static float get(Stored s) { return bf16_to_float(s); }
static Stored stored_of(Real v) { return bf16_of(v, HAS(cut_off_instead_of_rounded)); }
constexpr float visible_gain = 1.02f;
#endif

// Rounds to the main dtype, as PyTorch does where an intermediate has it. `cut` does not reach here.
static Real rounded(Real v) {
#if DTYPE == 0
  return Real(float(v));
#elif DTYPE == 1
  return Real(f16_to_float(f16_of(v)));
#else
  return Real(bf16_to_float(bf16_of(v)));
#endif
}

// Reads an input. Tensor-core kernels of float32 may read it in fewer bits, which is wrong here.
static Real load(const Stored* p, int64_t i) {
  float f = get(p[i]);
  if (HAS(inputs_in_tf32)) f = to_tf32(f);
  if (HAS(inputs_in_bf16)) f = to_bf16(f);
  return Real(f);
}

// Writes the main output.
static void store(Stored* p, int64_t i, Real v) {
  if (HAS(result_too_large_by_a_little)) v *= visible_gain;
  if (HAS(result_too_small_by_a_percent)) v *= DTYPE == 2 ? Real(0.97) : Real(0.99);
  if (HAS(output_by_way_of_bf16)) v = to_bf16(float(v));
  if (HAS(output_by_way_of_fp16)) v = to_f16(float(v));
  if (HAS(output_by_way_of_tf32)) v = to_tf32(float(v));
  p[i] = stored_of(v);
}

// ---- orders of sums
static int64_t reductions = 0;  // how many were made, for a race that is lost now and then

template <class Step> static Real pairwise(int64_t from, int64_t to, Step step) {
  if (to - from <= 4) {
    Real s = 0;
    for (int64_t i = from; i < to; ++i) s = step(s, i);
    return s;
  }
  int64_t middle = from + (to - from) / 2;
  return pairwise(from, middle, step) + pairwise(middle, to, step);
}
template <class Step> static Real in_lanes(int64_t n, int lanes, Step step) {
  Real part[32] = {};
  for (int64_t i = 0; i < n; ++i) part[i % lanes] = step(part[i % lanes], i);
  for (int width = lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) part[l] += part[l + width];
  return part[0];
}
template <class Step> static Real in_tiles(int64_t n, int64_t tile, Step step) {
  Real s = 0;
  for (int64_t from = 0; from < n; from += tile) {
    Real part = 0;
    for (int64_t i = from; i < n && i < from + tile; ++i) part = step(part, i);
    s += part;
  }
  return s;
}
// step(s, i) adds the i-th term to s.
template <class Step> static Real accumulate(int64_t n, Step step) {
  ++reductions;
  if (HAS(last_element_of_sums_missing) && n > 0) --n;
  if (HAS(partial_tile_of_sums_lost) && n > 16) n -= n % 16;
  if (HAS(now_and_then_a_part_of_a_sum_is_lost) && reductions % RACE_PERIOD == RACE_PERIOD / 2) n = n / 2;
  if (HAS(accumulation_in_bf16)) { Real s = 0; for (int64_t i = 0; i < n; ++i) s = to_bf16(float(step(s, i))); return s; }
  if (HAS(accumulation_in_fp16)) { Real s = 0; for (int64_t i = 0; i < n; ++i) s = to_f16(float(step(s, i))); return s; }
  if (HAS(first_element_of_sums_twice) && n > 0) { Real s = step(Real(0), 0); for (int64_t i = 0; i < n; ++i) s = step(s, i); return s; }
  if (IS_ORDER(backward)) { Real s = 0; for (int64_t i = n; i-- > 0;) s = step(s, i); return s; }
  if (IS_ORDER(pairwise)) return pairwise(0, n, step);
  if (IS_ORDER(lanes4)) return in_lanes(n, 4, step);
  if (IS_ORDER(lanes8)) return in_lanes(n, 8, step);
  if (IS_ORDER(lanes16)) return in_lanes(n, 16, step);
  if (IS_ORDER(lanes32)) return in_lanes(n, 32, step);
  if (IS_ORDER(tiles16)) return in_tiles(n, 16, step);
  if (IS_ORDER(tiles24)) return in_tiles(n, 24, step);
  if (IS_ORDER(split2)) return in_tiles(n, (n + 1) / 2, step);
  if (IS_ORDER(split3)) return in_tiles(n, (n + 2) / 3, step);
  if (IS_ORDER(split7)) return in_tiles(n, (n + 6) / 7, step);
  if (IS_ORDER(kahan)) {
    Real s = 0, lost = 0;
    for (int64_t i = 0; i < n; ++i) {
      volatile Real term = step(Real(0), i) - lost, next = s + term, gained = next - s;
      lost = gained - term;
      s = next;
    }
    return s;
  }
  if (IS_ORDER(shuffled)) {  // as atomics may add; 7919 is prime to every n here
    Real s = 0;
    for (int64_t i = 0; i < n; ++i) s = step(s, (i * 7919 + 3) % n);
    return s;
  }
  Real s = 0;
  for (int64_t i = 0; i < n; ++i) s = step(s, i);
  return s;
}
template <class Term> static Real sum(int64_t n, Term term) {
  return accumulate(n, [&](Real s, int64_t i) { return s + term(i); });
}
static Real multiply_add(Real a, Real b, Real c) {
#ifdef FMA
  return std::fma(a, b, c);
#else
  return c + a * b;
#endif
}
template <class A, class B> static Real dot(int64_t n, A a, B b) {
  return accumulate(n, [&](Real s, int64_t i) { return multiply_add(a(i), b(i), s); });
}

// ---- other things that kernels share
static Real exponential(Real x) {
  if (IS_WAY(exp2)) return std::exp2(x * Real(1.442695040888963407359924681L));
  return std::exp(x);
}
static Real sigmoid(Real x) {
  if (IS_WAY(sigmoid_both_ways)) { Real e = std::exp(-std::fabs(x)); return x >= 0 ? 1 / (1 + e) : e / (1 + e); }
  if (IS_WAY(sigmoid_by_tanh)) return Real(0.5) + Real(0.5) * std::tanh(x / 2);
  return 1 / (1 + exponential(-x));
}
static Real softplus(Real x) {
  if (IS_WAY(softplus_by_maximum)) return (x > 0 ? x : Real(0)) + std::log1p(std::exp(-std::fabs(x)));
  return x > 20 ? x : std::log1p(std::exp(x));
}

// Mistakes of whole rows and columns, made on the finished output.
static void spoil(Stored* p, int64_t rows, int64_t columns) {
  if (HAS(last_row_is_the_one_before)) std::memcpy(p + (rows - 1) * columns, p + (rows - 2) * columns, columns * sizeof(Stored));
  if (HAS(rows_two_and_three_swapped))
    for (int64_t j = 0; j < columns; ++j) { Stored t = p[2 * columns + j]; p[2 * columns + j] = p[3 * columns + j]; p[3 * columns + j] = t; }
  if (HAS(last_column_of_a_row_is_its_neighbour)) for (int64_t i = 0; i < rows; ++i) p[i * columns + columns - 1] = p[i * columns + columns - 2];
  if (HAS(one_element_in_a_thousand_is_stale)) for (int64_t i = STALE_FROM; i < rows * columns; i += 1009) p[i] = p[i - 1];
  if (HAS(one_tile_not_accumulated)) for (int64_t i = 4; i < rows && i < 8; ++i) for (int64_t j = 0; j < columns && j < 8; ++j) p[i * columns + j] = 0;
}
static Real* buffer(int64_t n) { return static_cast<Real*>(std::calloc(n + 1, sizeof(Real))); }
