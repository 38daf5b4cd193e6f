// SPDX-License-Identifier: Apache-2.0
// Floats of 16 and of 8 bits, which tensors hold as their bits, to and from float. C++17; for
// hosts.
//
//   #include "kbench_numbers.h"
//   y[i] = kbench::to_bfloat16(2 * kbench::from_bfloat16(x[i]));   // const uint16_t* x, uint16_t*
//   y
//
// Conversions to the narrow formats round to nearest, halves to even, as PyTorch does. A number
// beyond the range becomes an infinity, in float8_e4m3fn, which has none, NaN. Sources: IEEE 754
// for float16; "OCP 8-bit Floating Point Specification (OFP8)" 1.0 for e4m3 and e5m2.
#ifndef KBENCH_NUMBERS_H_
#define KBENCH_NUMBERS_H_

#include <stdint.h>
#include <string.h>

namespace kbench {
namespace numbers {

inline uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Format of a sign, `exponent` bits and `mantissa` bits.
template <int exponent, int mantissa, bool has_infinity>
struct Format {
  static constexpr int bias = (1 << (exponent - 1)) - 1;
  static constexpr int shift = 23 - mantissa;  // bits that a float's significand has more
  static constexpr uint32_t all_ones = (1u << (exponent + mantissa)) - 1;
  static constexpr uint32_t infinity = ((1u << exponent) - 1) << mantissa;
  static constexpr uint32_t nan = has_infinity ? infinity | 1u << (mantissa - 1) : all_ones;
  static constexpr uint32_t beyond = has_infinity ? infinity : all_ones;  // too large numbers

  static uint32_t from(float x) {
    const uint32_t sign = bits_of(x) >> 31 << (exponent + mantissa);
    const uint32_t magnitude = bits_of(x) & 0x7fffffff;
    if (magnitude > 0x7f800000) return sign | nan;
    // Floats beside this number step as the format's subnormals do: the sum is rounded there.
    const uint32_t steps = static_cast<uint32_t>(127 + 24 - bias - mantissa) << 23;
    if (magnitude < static_cast<uint32_t>(128 - bias) << 23)
      return sign | (bits_of(float_of(magnitude) + float_of(steps)) - steps);
    const uint32_t half = (1u << (shift - 1)) - 1 + (magnitude >> shift & 1);
    const uint32_t code =
        ((magnitude + half) >> shift) - (static_cast<uint32_t>(127 - bias) << mantissa);
    return sign | (code < beyond ? code : beyond);
  }

  static float to(uint32_t code) {
    const uint32_t sign = code >> (exponent + mantissa) << 31;
    const uint32_t magnitude = code & all_ones;
    if (has_infinity ? magnitude > infinity : magnitude == all_ones)
      return float_of(sign | 0x7fc00000);
    if (has_infinity && magnitude == infinity) return float_of(sign | 0x7f800000);
    if (magnitude >> mantissa != 0)
      return float_of(sign | ((magnitude << shift) + (static_cast<uint32_t>(127 - bias) << 23)));
    const uint32_t steps = static_cast<uint32_t>(127 + 24 - bias - mantissa) << 23;
    const float value = float_of(steps + magnitude) - float_of(steps);
    return float_of(sign | bits_of(value));
  }
};

using Float16 = Format<5, 10, true>;
using BFloat16 = Format<8, 7, true>;
using E4m3fn = Format<4, 3, false>;
using E5m2 = Format<5, 2, true>;

}  // namespace numbers

inline float from_float16(uint16_t bits) { return numbers::Float16::to(bits); }
inline float from_bfloat16(uint16_t bits) {
  return numbers::float_of(static_cast<uint32_t>(bits) << 16);
}
inline float from_float8_e4m3fn(uint8_t bits) { return numbers::E4m3fn::to(bits); }
inline float from_float8_e5m2(uint8_t bits) { return numbers::E5m2::to(bits); }

inline uint16_t to_float16(float x) { return static_cast<uint16_t>(numbers::Float16::from(x)); }
inline uint16_t to_bfloat16(float x) { return static_cast<uint16_t>(numbers::BFloat16::from(x)); }
inline uint8_t to_float8_e4m3fn(float x) { return static_cast<uint8_t>(numbers::E4m3fn::from(x)); }
inline uint8_t to_float8_e5m2(float x) { return static_cast<uint8_t>(numbers::E5m2::from(x)); }

}  // namespace kbench

#endif  // KBENCH_NUMBERS_H_
