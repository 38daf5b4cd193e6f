// The processor's state that a call begins with: its rules for floating-point arithmetic (rounding,
// subnormals, exceptions), what it has begun, and what its caches hold.
#pragma once

#include <cstddef>
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

// No instruction after it begins before all before it have ended.
inline void finish_instructions() {
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  asm volatile("dsb ish\n isb" : : : "memory");
#endif
}

// Afterwards none of these bytes is in a cache, where the processor can do that.
inline void leave_caches(const std::byte* data, std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t line = 64;
  for (std::size_t i = 0; i < bytes; i += line) _mm_clflush(data + i);
  if (bytes > 0) _mm_clflush(data + bytes - 1);
  _mm_mfence();
#else
  (void)data;
  (void)bytes;
#endif
}

}  // namespace kbench::worker
