// SPDX-License-Identifier: Apache-2.0
// A row in the registers of a block: kHeld vectors a thread, so that memory is read once.
#ifndef KBENCH_ROW_BLOCKS_CUH_
#define KBENCH_ROW_BLOCKS_CUH_

#include "reduce.cuh"
#include "vectors.cuh"

template <int kThreadsOf, int kHeldOf>
struct RowBlock {
  static constexpr int kThreads = kThreadsOf, kHeld = kHeldOf, kWarps = kThreads / kWarp;
};

// Calls work(RowBlock{}) with the smallest that holds a row of `elements` of sixteen bits.
template <typename Work>
void with_row_block(int64_t elements, Work work) {
  const int64_t vectors = elements / 8;
  if (vectors <= 128) return work(RowBlock<128, 1>{});
  if (vectors <= 512) return work(RowBlock<256, 2>{});
  if (vectors <= 1024) return work(RowBlock<512, 2>{});
  KBENCH_CHECK(vectors <= 2048, "rows must have at most 16384 elements");
  work(RowBlock<1024, 2>{});
}

#endif  // KBENCH_ROW_BLOCKS_CUH_
