// SPDX-License-Identifier: Apache-2.0
// Tiles of matrices in the registers of a warp, in the runtime's layout: element i of a lane is
// number lane + 32 i of the tile, its rows one after the other. CUDA leaves the layout open.
#ifndef KBENCH_EMULATION_WMMA_H_
#define KBENCH_EMULATION_WMMA_H_

#include <kbench_emulation.h>

namespace kbench_emulation {

struct WmmaMatrix {
  void* memory;
  size_t pitch;    // elements from line to line
  size_t element;  // its bytes
  unsigned rows, columns;
  bool by_columns;
};
void wmma_load(void* fragment, const WmmaMatrix& matrix, Place place);
void wmma_store(const void* fragment, const WmmaMatrix& matrix, Place place);

// Types of d = a b + c, whose c and d are sums.
struct WmmaNumber {
  char kind;  // PTX's type: f, T (tf32), B (bfloat16), s, u
  unsigned bytes;
};
struct WmmaProduct {
  unsigned m, n, k;
  const void *a, *b, *c;
  void* d;
  WmmaNumber factor, sum;
};
void wmma_multiply(const WmmaProduct& product, Place place);

}  // namespace kbench_emulation

#endif  // KBENCH_EMULATION_WMMA_H_
