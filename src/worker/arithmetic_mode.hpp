// The processor's rules for floating-point arithmetic: rounding, subnormals, exceptions.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kbench::worker {

// Sets the modes that every program starts with, whatever a library or an earlier call has set, of
// the calling thread alone.
inline void reset_arithmetic_mode() {
#if defined(__x86_64__)
  constexpr unsigned sse = 0x1F80;  // to nearest, subnormals kept, nothing traps
  constexpr std::uint16_t x87 = 0x037F;
  _mm_setcsr(sse);
  asm volatile("fldcw %0" : : "m"(x87));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
#endif
}

}  // namespace kbench::worker
