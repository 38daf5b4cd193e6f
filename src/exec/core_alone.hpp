// What look_at_core() (base/core_share.hpp) says of a core that nobody shares.
#pragma once

#include "exec/cores.hpp"

namespace kbench {

// The least that this process has seen so far on the worker's first core or on another one of its
// make, after a new look: the first one at a core takes 20 ms, each other one 1 ms. It is small in
// spite of a neighbour that rests now and then, or that has one of the cores alone. A quotient of
// two times. Any thread may call it; the caller's cores are as before.
double look_of_core_alone(const CoreSplit& cores);

// One core for the worker and another one for the judge, as split_cores(1): of those that may be
// the worker's the one that others use least at the moment. Looks at up to eight, 1 ms each.
CoreSplit split_quiet_core();

}  // namespace kbench
