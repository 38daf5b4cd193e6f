// State of the processor that a call begins with: its rules for floating-point arithmetic
// (rounding, subnormals, exceptions), pending instructions, and what its caches hold.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kbench::worker {

// Sets the calling thread's modes to those that every program starts with, whatever a library or an
// earlier call has set.
inline void reset_arithmetic_mode() {
#if defined(__x86_64__)
  constexpr unsigned sse = 0x1F80;  // round to nearest, subnormals kept, nothing traps
  constexpr std::uint16_t x87 = 0x037F;
  _mm_setcsr(sse);
  asm volatile("fldcw %0" : : "m"(x87));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
#endif
}

// Waits until all instructions before it have ended; none after it begins earlier.
inline void finish_instructions() {
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  asm volatile("dsb ish\n isb" : : : "memory");
#endif
}

// Evicts these bytes from all caches, where the processor can do that.
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
