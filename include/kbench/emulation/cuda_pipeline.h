// SPDX-License-Identifier: Apache-2.0
// Primitives of CUDA for asynchronous copies to shared memory.
#ifndef KBENCH_EMULATION_CUDA_PIPELINE_H_
#define KBENCH_EMULATION_CUDA_PIPELINE_H_

#include <kbench_emulation_threads.h>

namespace kbench_emulation {

// Copies 4, 8 or 16 bytes to shared memory later; anything else at once.
KB_DEVICE void copy_piece(void* to, const void* from, size_t bytes, size_t filled, Place place) {
  if ((bytes == 4 || bytes == 8 || bytes == 16) && is_shared(to))
    return start_copy({to, from, bytes, filled}, place);
  for (size_t i = 0; i < bytes; ++i)
    static_cast<char*>(to)[i] = i < filled ? static_cast<const char*>(from)[i] : 0;
}

}  // namespace kbench_emulation

KB_DEVICE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0,
                                       KB_FROM) {
  kbench_emulation::copy_piece(to, from, bytes, bytes - zeros, KB_PLACE);
}
KB_DEVICE void __pipeline_commit() { kbench_emulation::close_copies(); }
KB_DEVICE void __pipeline_wait_prior(size_t still_open) {
  kbench_emulation::await_copies(still_open);
}

#endif  // KBENCH_EMULATION_CUDA_PIPELINE_H_
