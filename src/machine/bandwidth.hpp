// How fast data come from memory and go there.
#pragma once

#include <cstdint>

namespace kbench {

// Bytes a second that `threads` threads read, write or copy at best, whichever is most; of a copy
// both count. Each uses its share of `bytes` again and again.
double best_bandwidth(std::uint64_t bytes, int threads);

}  // namespace kbench
