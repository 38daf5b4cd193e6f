// SPDX-License-Identifier: Apache-2.0
// Numbers of eight bits in CUDA: e4m3 without infinities, e5m2 with them.
#ifndef KBENCH_EMULATION_CUDA_FP8_H_
#define KBENCH_EMULATION_CUDA_FP8_H_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

namespace kbench_emulation {

// The largest e4m3 is 448 (0x7e), and 0x7f is NaN; the largest e5m2 is 57344 (0x7b), 0x7c infinity.
KB_DEVICE unsigned char fp8_bits(double x, __nv_saturation_t saturation,
                                 __nv_fp8_interpretation_t kind) {
  if (x != x) return 0x7f;
  if (kind == __NV_E5M2) {
    const auto bits = static_cast<unsigned char>(round_bits<5, 2>(x, Round::nearest));
    const bool is_beyond = (bits & 0x7f) >= 0x7c;
    return is_beyond && saturation == __NV_SATFINITE ? (bits & 0x80) | 0x7b : bits;
  }
  const double magnitude = std::fabs(x);
  const unsigned char sign = std::signbit(x) ? 0x80 : 0;
  if (magnitude > 464)  // the middle to the next number, if there were one
    return sign | (saturation == __NV_SATFINITE ? 0x7e : 0x7f);
  if (magnitude < 0x1p-6)
    return sign | static_cast<unsigned char>(std::nearbyint(magnitude * 0x1p9));
  const uint64_t bits = cast_bits<uint64_t>(magnitude);
  const uint64_t rest = bits & ((uint64_t{1} << 49) - 1), half = uint64_t{1} << 48;
  uint64_t kept = bits >> 49;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  return sign | static_cast<unsigned char>(kept - (uint64_t{1023 - 7} << 3));
}

KB_DEVICE float fp8_value(unsigned char bits, __nv_fp8_interpretation_t kind) {
  if (kind == __NV_E5M2) return Half::value(static_cast<uint16_t>(bits << 8));
  const unsigned magnitude = bits & 0x7f;
  float value = Half::value(static_cast<uint16_t>(magnitude << 7)) * 0x1p8f;
  if (magnitude == 0x7f) value = NAN;
  return (bits & 0x80) != 0 ? -value : value;
}

}  // namespace kbench_emulation

KB_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                    __nv_fp8_interpretation_t kind) {
  return kbench_emulation::fp8_bits(x, saturation, kind);
}
KB_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                   __nv_fp8_interpretation_t kind) {
  return kbench_emulation::fp8_bits(x, saturation, kind);
}
KB_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t kind) {
  return static_cast<__nv_fp8x2_storage_t>(kbench_emulation::fp8_bits(x.x, saturation, kind) |
                                           kbench_emulation::fp8_bits(x.y, saturation, kind) << 8);
}
KB_DEVICE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind) {
  return kbench_emulation::fp8_bits(kbench_emulation::Half::value(x.x), saturation, kind);
}
KB_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                         __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t kind) {
  return kbench_emulation::fp8_bits(kbench_emulation::BFloat16::value(x.x), saturation, kind);
}
KB_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return {kbench_emulation::Half::from(kbench_emulation::fp8_value(x, kind))};
}
KB_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), kind).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), kind).x};
}

#define KB_FP8(name, kind)                                                                         \
  struct name {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    name() = default;                                                                              \
    explicit KB_DEVICE name(float x) : __x(kbench_emulation::fp8_bits(x, __NV_SATFINITE, kind)) {} \
    explicit KB_DEVICE name(double x)                                                              \
        : __x(kbench_emulation::fp8_bits(x, __NV_SATFINITE, kind)) {}                              \
    explicit KB_DEVICE name(int x) : name(static_cast<double>(x)) {}                               \
    explicit KB_DEVICE name(unsigned x) : name(static_cast<double>(x)) {}                          \
    explicit KB_DEVICE name(__half x) : name(__half2float(x)) {}                                   \
    explicit KB_DEVICE name(__nv_bfloat16 x) : name(__bfloat162float(x)) {}                        \
    explicit KB_DEVICE operator float() const { return kbench_emulation::fp8_value(__x, kind); }   \
    explicit KB_DEVICE operator double() const { return static_cast<float>(*this); }               \
    explicit KB_DEVICE operator __half() const { return __float2half(static_cast<float>(*this)); } \
    explicit KB_DEVICE operator __nv_bfloat16() const {                                            \
      return __float2bfloat16(static_cast<float>(*this));                                          \
    }                                                                                              \
  };
KB_FP8(__nv_fp8_e4m3, __NV_E4M3)
KB_FP8(__nv_fp8_e5m2, __NV_E5M2)
#undef KB_FP8

// e8m0: a power of two, 0xff NaN.
KB_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturation,
                                                    cudaRoundMode rounding) {
  int exponent = 0;
  const bool is_more = std::frexp(std::fabs(x), &exponent) > 0.5f && rounding == cudaRoundPosInf;
  if (x != x || std::isinf(x) || exponent + is_more > 128)
    return saturation == __NV_SATFINITE && x == x ? 0xfe : 0xff;
  return static_cast<__nv_fp8_storage_t>(x == 0 ? 0 : max(exponent + is_more + 126, 0));
}
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  explicit KB_DEVICE __nv_fp8_e8m0(float x)
      : __x(__nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit KB_DEVICE operator float() const { return __x == 255 ? NAN : ldexpf(1, __x - 127); }
};

#define KB_FP8_PACKED(one, kind)                                                                  \
  struct alignas(2) __nv_fp8x2_##one {                                                            \
    __nv_fp8x2_storage_t __x;                                                                     \
    __nv_fp8x2_##one() = default;                                                                 \
    explicit KB_DEVICE __nv_fp8x2_##one(float2 x)                                                 \
        : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                               \
    explicit KB_DEVICE operator float2() const {                                                  \
      return {kbench_emulation::fp8_value(static_cast<unsigned char>(__x), kind),                 \
              kbench_emulation::fp8_value(static_cast<unsigned char>(__x >> 8), kind)};           \
    }                                                                                             \
    explicit KB_DEVICE operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); } \
  };                                                                                              \
  struct alignas(4) __nv_fp8x4_##one {                                                            \
    __nv_fp8x4_storage_t __x;                                                                     \
    __nv_fp8x4_##one() = default;                                                                 \
    explicit KB_DEVICE __nv_fp8x4_##one(float4 x)                                                 \
        : __x(__nv_cvt_float2_to_fp8x2({x.x, x.y}, __NV_SATFINITE, kind) |                        \
              static_cast<unsigned>(__nv_cvt_float2_to_fp8x2({x.z, x.w}, __NV_SATFINITE, kind))   \
                  << 16) {}                                                                       \
    explicit KB_DEVICE operator float4() const {                                                  \
      const auto element = [this](int i) {                                                        \
        return kbench_emulation::fp8_value(static_cast<unsigned char>(__x >> 8 * i), kind);       \
      };                                                                                          \
      return {element(0), element(1), element(2), element(3)};                                    \
    }                                                                                             \
  };
KB_FP8_PACKED(e4m3, __NV_E4M3)
KB_FP8_PACKED(e5m2, __NV_E5M2)
#undef KB_FP8_PACKED

#endif  // KBENCH_EMULATION_CUDA_FP8_H_
