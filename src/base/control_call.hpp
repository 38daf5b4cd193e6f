// A computation that never changes: how long it takes says how fast the machine is at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kbench {

// A chain of multiplications, each waiting for the one before, and a pass over memory.
inline bool call_control() {
  constexpr int steps = 4096;
  constexpr std::size_t words = std::size_t{1} << 14;  // 128 KiB: more than a first cache
  static std::array<std::uint64_t, words> data;        // of zeros
  std::uint64_t x = 1;
  for (int i = 0; i < steps; ++i) {
    x *= 0x9E3779B97F4A7C15U;
    asm volatile("" : "+r"(x));
  }
  for (const std::uint64_t& word : data) x += *const_cast<const volatile std::uint64_t*>(&word);
  asm volatile("" : : "r"(x));
  return true;
}

}  // namespace kbench
