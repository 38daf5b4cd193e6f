// SPDX-License-Identifier: Apache-2.0
#ifndef BASELINE_BFLOAT16_H_
#define BASELINE_BFLOAT16_H_

#include <cstdint>
#include <cstring>

inline float widen(uint16_t bits) {
  const uint32_t u = static_cast<uint32_t>(bits) << 16;
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

inline uint16_t narrow(float f) {  // to nearest, ties to even
  uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return f != f ? 0x7fc0 : static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

#endif  // BASELINE_BFLOAT16_H_
