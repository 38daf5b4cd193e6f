// SPDX-License-Identifier: Apache-2.0
// CUDA's numbers of eight bits: e4m3 without infinities, e5m2 with them.
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
  if (magnitude > 464)  // halfway to what would come next
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

#endif  // KBENCH_EMULATION_CUDA_FP8_H_
