// SPDX-License-Identifier: Apache-2.0
// Copies of a group to shared memory, which have arrived when they are waited for.
#ifndef KBENCH_EMULATION_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define KBENCH_EMULATION_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace cooperative_groups {

template <typename Group>
KB_DEVICE void memcpy_async(const Group& group, void* to, const void* from, size_t bytes, KB_FROM) {
  const size_t both = reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  const size_t piece = both % 16 == 0 ? 16 : both % 8 == 0 ? 8 : both % 4 == 0 ? 4 : 1;
  for (size_t i = group.thread_rank() * piece; i < bytes; i += group.size() * piece)
    kbench_emulation::copy_piece(static_cast<char*>(to) + i, static_cast<const char*>(from) + i,
                                 piece, piece, KB_PLACE);
  kbench_emulation::close_copies();
}
template <typename Group, typename T>
KB_DEVICE void memcpy_async(const Group& group, T* to, const T* from, size_t bytes, KB_FROM) {
  memcpy_async(group, static_cast<void*>(to), static_cast<const void*>(from), bytes, kb_file,
               kb_line);
}
template <typename Group>
KB_DEVICE void wait(const Group& group, KB_FROM) {
  kbench_emulation::await_copies(0);
  group.sync(kb_file, kb_line);
}
template <unsigned kOpen, typename Group>
KB_DEVICE void wait_prior(const Group& group, KB_FROM) {
  kbench_emulation::await_copies(kOpen);
  group.sync(kb_file, kb_line);
}

}  // namespace cooperative_groups

#endif  // KBENCH_EMULATION_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
