// What the processor has begun, and what its caches hold.
#pragma once

#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kbench::worker {

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
