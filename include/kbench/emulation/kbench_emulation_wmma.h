// SPDX-License-Identifier: Apache-2.0
// Tiles of matrices in the registers of a warp, as the runtime has them: element i of a lane is
// number lane + 32 i of the tile, its rows one after the other. CUDA leaves the layout open.
#ifndef KBENCH_EMULATION_WMMA_H_
#define KBENCH_EMULATION_WMMA_H_

#include <kbench_emulation.h>

namespace kbench_emulation {

struct WmmaMatrix {
  void* memory;
  size_t pitch;    // elements from line to line
  size_t element;  // bytes
  unsigned rows, columns;
  bool by_columns;
};
void wmma_load(void* fragment, const WmmaMatrix& matrix, Place place);
void wmma_store(const void* fragment, const WmmaMatrix& matrix, Place place);

// d = a b + c; elements as numbers by these functions, which know their types.
struct WmmaProduct {
  unsigned m, n, k;
  const void *a, *b, *c;
  void* d;
  float (*value)(const void* fragment, unsigned i);
  double (*get_sum)(const void* fragment, unsigned i);
  void (*set_sum)(void* fragment, unsigned i, double value);
  bool is_integer;
};
void wmma_multiply(const WmmaProduct& product, Place place);

}  // namespace kbench_emulation

#endif  // KBENCH_EMULATION_WMMA_H_
