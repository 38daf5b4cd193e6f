// Tasks that several threads do at a time, and waiting for another core.
#pragma once

#include <cstddef>
#include <functional>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kbench {

struct Sharing {
  int threads = 0;        // limit; 0: one for each core
  std::size_t least = 1;  // tasks of a thread: fewer are done before it has started
};

// Runs task(0) … task(count - 1) in any order and returns when all are done. A task that shares
// tasks of its own does them alone: the cores are taken.
void in_parallel(std::size_t count, const Sharing& sharing,
                 const std::function<void(std::size_t)>& task);

// Step of a loop that waits for another core.
inline void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace kbench
