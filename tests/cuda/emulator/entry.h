// SPDX-License-Identifier: Apache-2.0
// A kernel as the stand-in driver launches it: from outside of its library, with what its
// parameters point to.
#ifndef KBENCH_EMULATION_ENTRY_H_
#define KBENCH_EMULATION_ENTRY_H_

#include <cstddef>

namespace emulation {

struct Entry {
  size_t count;
  const size_t* sizes;  // sizes of its parameters, bytes
  // Launches with `grid` and `block` as x, y and z.
  void (*launch)(const unsigned* grid, const unsigned* block, size_t shared, void* stream,
                 void* const* parameters);
};

}  // namespace emulation

#endif  // KBENCH_EMULATION_ENTRY_H_
