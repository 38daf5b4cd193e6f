// SPDX-License-Identifier: Apache-2.0
// Small floating-point formats: rounding to them, exactly, and their values.
#ifndef KBENCH_EMULATION_FLOATS_H_
#define KBENCH_EMULATION_FLOATS_H_

#include <kbench_emulation_math.h>

namespace kbench_emulation {

// Tells whether a cut magnitude goes up by one, where `rest` of 2 * `half` is cut off.
KB_DEVICE bool rounds_up(Round how, bool is_negative, bool is_odd, uint64_t rest, uint64_t half) {
  if (how == Round::zero || rest == 0) return false;
  if (how == Round::nearest) return rest > half || (rest == half && is_odd);
  return how == (is_negative ? Round::down : Round::up);
}
// Returns infinity or a format's largest number, for numbers beyond that.
KB_DEVICE uint32_t beyond(Round how, bool is_negative, uint32_t infinity) {
  const bool is_finite = how == Round::zero || how == (is_negative ? Round::up : Round::down);
  return is_finite ? infinity - 1 : infinity;
}

// Returns x in a format of one sign, some exponent and some mantissa bits, with subnormals, and
// infinity at the largest exponent. `x` is never rounded twice. NaN is that with all bits but the
// sign.
template <int exponent_bits, int mantissa_bits>
KB_DEVICE uint32_t round_bits(double x, Round how) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  constexpr uint32_t sign_bit = 1u << (exponent_bits + mantissa_bits);
  const uint64_t bits = cast_bits<uint64_t>(x), magnitude = bits & ~(uint64_t{1} << 63);
  const bool is_negative = magnitude != bits;
  const uint32_t sign = is_negative ? sign_bit : 0;
  if (magnitude == 0) return sign;
  if (magnitude >= uint64_t{0x7ff} << 52)
    return magnitude == uint64_t{0x7ff} << 52 ? sign | infinity : sign_bit - 1;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const uint64_t mantissa = (magnitude & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const bool is_subnormal = exponent < 1 - bias;
  const int missing = is_subnormal ? 1 - bias - exponent : 0;
  const int shift =
      52 - mantissa_bits + (missing > 11 + mantissa_bits ? 11 + mantissa_bits : missing);
  const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1);
  const uint64_t kept = mantissa >> shift;
  const uint64_t half = uint64_t{1} << (shift - 1);
  const bool goes_up = rounds_up(how, is_negative, (kept & 1) != 0, rest, half);
  const uint64_t base =
      is_subnormal ? 0 : static_cast<uint64_t>(exponent + bias - 1) << mantissa_bits;
  const uint64_t rounded = base + kept + (goes_up ? 1 : 0);
  if (rounded < infinity) return sign | static_cast<uint32_t>(rounded);
  return sign | beyond(how, is_negative, infinity);
}

// IEEE binary16.
struct Half {
  static KB_DEVICE uint16_t from(double x, Round how = Round::nearest) {
    return static_cast<uint16_t>(round_bits<5, 10>(x, how));
  }
  // Bits of the magnitude are those of a float whose exponent is 112 too small, but for infinity.
  static KB_DEVICE float value(uint16_t bits) {
    const uint32_t sign = (bits & 0x8000u) << 16, magnitude = (bits & 0x7fffu) << 13;
    const uint32_t rebiased = cast_bits<uint32_t>(cast_bits<float>(magnitude) * 0x1p112f);
    return cast_bits<float>(sign |
                            (magnitude < 0x7c00u << 13 ? rebiased : magnitude | 0x7f800000u));
  }
};

// bfloat16: the upper half of a float.
struct BFloat16 {
  static KB_DEVICE uint16_t from(double x, Round how = Round::nearest) {
    return static_cast<uint16_t>(round_bits<8, 7>(x, how));
  }
  static KB_DEVICE float value(uint16_t bits) {
    return cast_bits<float>(static_cast<uint32_t>(bits) << 16);
  }
};

// Returns the larger of two; NaN with is_strict where one is NaN, else the other. -0 < +0.
template <typename T>
KB_DEVICE T larger(T a, T b, bool is_strict) {
  if (a != a || b != b) return is_strict || (a != a && b != b) ? NAN : (a != a ? b : a);
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T>
KB_DEVICE T smaller(T a, T b, bool is_strict) {
  return -larger(-a, -b, is_strict);
}

}  // namespace kbench_emulation

#endif  // KBENCH_EMULATION_FLOATS_H_
