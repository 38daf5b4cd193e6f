// What a worker may start: threads, or for a while programs, too.
#pragma once

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

// From now on it starts no programs, and where it is held does nothing else that it should not:
// sandbox/filter.hpp. `has_devices`: it speaks with a GPU. False where the kernel takes no filter.
bool work_alone(const Control& control, bool has_devices);

// It may start programs, and sees when those have ended that these have left behind.
void adopt_orphans();
// Ends that. What a program would do on the device that still runs the judge's clock does not see:
// that is left in the control block as an error of the call.
void end_programs(Control& control, bool has_devices);

}  // namespace kbench::worker
