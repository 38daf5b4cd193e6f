// What look_at_core() (base/core_share.hpp) says of a core that nobody shares.
#pragma once

#include "exec/cores.hpp"

namespace kbench {

// The least that this process has seen on the worker's first core so far, after a new look: the
// first one takes 20 ms, each other one 1 ms. It is small in spite of a neighbour that rests now
// and then. A quotient of two times. Any thread may call it; the caller's cores are as before.
double look_of_core_alone(const CoreSplit& cores);

}  // namespace kbench
