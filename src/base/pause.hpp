// For loops that wait for another core.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kbench {

inline void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace kbench
