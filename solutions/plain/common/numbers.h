// SPDX-License-Identifier: Apache-2.0
// The sixteen-bit and eight-bit floats as plain functions to and from float.
#ifndef PLAIN_NUMBERS_H_
#define PLAIN_NUMBERS_H_

#include <cmath>
#include <cstdint>
#include <cstring>

struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Float8 {  // float8_e4m3fn
  uint8_t bits;
};

inline float bits_to_float(uint32_t u) {
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}
inline uint32_t float_to_bits(float f) {
  uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return u;
}

inline float to_float(float x) { return x; }
inline float to_float(BFloat x) { return bits_to_float(static_cast<uint32_t>(x.bits) << 16); }
inline float to_float(Half x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(x.bits & 0x7fff) << 13;
  const uint32_t finite = float_to_bits(bits_to_float(magnitude) * 0x1p112f);  // rebias
  return bits_to_float(sign | (magnitude < 0x0f800000 ? finite : magnitude | 0x7f800000));
}
inline float to_float(Float8 x) {
  const int exponent = x.bits >> 3 & 15, mantissa = x.bits & 7;
  const float sign = x.bits & 0x80 ? -1.0f : 1.0f;
  if (exponent == 15 && mantissa == 7) return NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -9);
  return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

inline void from_float(float x, float* out) { *out = x; }
inline void from_float(float x, BFloat* out) {
  const uint32_t u = float_to_bits(x);
  out->bits = x != x ? 0x7fc0 : static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
inline void from_float(float x, Half* out) {
  const uint32_t sign = float_to_bits(x) >> 16 & 0x8000;
  const float magnitude = std::fabs(x);
  const uint32_t u = float_to_bits(magnitude);
  uint32_t half;
  if (x != x) {
    half = 0x7e00;
  } else if (magnitude >= 65520.0f) {
    half = 0x7c00;  // infinity
  } else if (magnitude < 0x1p-14f) {
    half = static_cast<uint32_t>(std::nearbyint(magnitude * 0x1p24f));  // subnormal
  } else {
    half = (u + 0xfff + (u >> 13 & 1) - (112u << 23)) >> 13;
  }
  out->bits = static_cast<uint16_t>(sign | half);
}
inline void from_float(float x, Float8* out) {  // saturated by the caller
  const uint32_t sign = float_to_bits(x) >> 24 & 0x80;
  const float magnitude = std::fabs(x);
  const uint32_t u = float_to_bits(magnitude);
  uint32_t code;
  if (x != x) {
    code = 0x7f;
  } else if (magnitude < 0x1p-6f) {
    code = static_cast<uint32_t>(std::nearbyint(magnitude * 512.0f));  // subnormal
  } else {
    code = (u + 0x7ffff + (u >> 20 & 1) - (120u << 23)) >> 20;
  }
  out->bits = static_cast<uint8_t>(sign | code);
}

// Calls work(T{}) with the element type that `dtype` names.
template <typename DType, typename Work>
bool with_element_type(DType dtype, Work work) {
  if (dtype.code == 2 && dtype.bits == 32) return work(float{}), true;
  if (dtype.code == 2 && dtype.bits == 16) return work(Half{}), true;
  if (dtype.code == 4 && dtype.bits == 16) return work(BFloat{}), true;
  return false;
}

#endif  // PLAIN_NUMBERS_H_
