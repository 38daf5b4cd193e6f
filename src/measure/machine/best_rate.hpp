// Work that a machine does in a second at best.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kbench {

// Does some of the work, for some microseconds, and says how much.
using Portion = std::function<double()>;

// The rate of `threads` threads together, a second: the best of some short stretches, since others
// on the machine only ever slow it. Each thread calls `make` for a portion of its own, which it
// uses again and again.
double best_rate(int threads, const std::function<Portion()>& make);

// Rate at which numbers are multiplied and added.

// Operations in float32 a second of `threads` threads at best: multiplications that are fused with
// additions, two operations each, in the widest vectors that the processor has.
double best_arithmetic(int threads);

// Rates of the processor's units for narrow numbers, as a multiple of float32 in vectors: by the
// sizes of their instructions, not measured.
struct NarrowMultiples {
  double in_16_bit = 1;
  double in_8_bit = 1;
};
NarrowMultiples narrow_multiples(const std::vector<std::string>& features);

// Rate at which data come from memory and go there.

// Bytes a second that `threads` threads read, write or copy at best, whichever is most; of a copy
// both count. Each uses its share of `bytes` again and again.
double best_bandwidth(std::uint64_t bytes, int threads);

}  // namespace kbench
