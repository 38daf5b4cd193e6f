// How much a machine does in a second at best.
#pragma once

#include <functional>

namespace kbench {

// Does some of the work, for some microseconds, and says how much.
using Portion = std::function<double()>;

// The rate of `threads` threads together, a second: the best of some short stretches, since others
// on the machine only ever slow it. Each thread calls `make` for a portion of its own, which it
// uses again and again.
double best_rate(int threads, const std::function<Portion()>& make);

}  // namespace kbench
