// How fast numbers are multiplied and added.
#pragma once

#include <string>
#include <vector>

namespace kbench {

// Operations in float32 a second of `threads` threads at best: multiplications that are fused with
// additions, two operations each, in the widest vectors that the processor has.
double best_arithmetic(int threads);

// What the processor's units for narrow numbers do, as a multiple of float32 in vectors: by the
// sizes of their instructions, not measured.
struct NarrowMultiples {
  double in_16_bit = 1;
  double in_8_bit = 1;
};
NarrowMultiples narrow_multiples(const std::vector<std::string>& features);

}  // namespace kbench
