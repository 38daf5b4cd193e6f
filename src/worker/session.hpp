// The worker's life: map the memory, load the candidate, answer commands.
#pragma once

#include <functional>

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"
#include "worker/hardware.hpp"

namespace kbench::worker {

// Times the candidate as Control::repetitions says, and leaves its report. False: a call failed.
using Engine = std::function<bool(Control& control, Candidate& candidate)>;

// What a worker is made of beside the loader.
struct Parts {
  Engine google_benchmark = {};  // for a worker that has it
  Hardware* hardware = nullptr;  // null: the processor
  bool starts_programs = false;  // a compiler, say, in its first call; afterwards none
};

// The exit code of the process: 0 when the judge is gone, else the memory was not as it must be.
int serve(const Loader& loader, const Parts& parts = {});

// What a worker may start: threads, or for a while programs, too.

// From now on it starts no programs, and where it is held does nothing else that it should not:
// sandbox/filter.hpp. `has_devices`: it speaks with a GPU. False where the kernel takes no filter.
bool work_alone(const Control& control, bool has_devices);

// It may start programs, and sees when those have ended that these have left behind.
void adopt_orphans();
// Ends that. What a program would do on the device that still runs the judge's clock does not see:
// that is left in the control block as an error of the call.
void end_programs(Control& control, bool has_devices);

}  // namespace kbench::worker
