// Life of a worker: map the memory, load the candidate, answer commands.
#pragma once

#include <functional>

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"
#include "worker/hardware.hpp"

namespace kbench::worker {

// Times the candidate as Control::repetitions says, and leaves its report. False: a call failed.
using Engine = std::function<bool(Control& control, Candidate& candidate)>;

// Parts of a worker beside the loader.
struct Parts {
  Engine google_benchmark = {};  // empty: a worker without it
  Hardware* hardware = nullptr;  // null: the processor
  bool starts_programs = false;  // a compiler, say, in its first call; none afterwards
};

// Returns the exit code: 0 when the judge is gone, else the memory was not as it must be.
int serve(const Loader& loader, const Parts& parts = {});

// Limits on what a worker may start: threads, or for a while programs, too.

// Forbids to start programs, and, if the worker is held, all else that it should not do:
// sandbox/filter.hpp. `has_devices`: it speaks with a GPU. False: the kernel takes no filter.
bool work_alone(const Control& control, bool has_devices);

// Lets it see the end of programs that its own programs have left behind.
void adopt_orphans();
// Ends the time of programs. The judge's clock does not see a program's work on the device: one
// that still runs is left in the control block as an error of the call.
void end_programs(Control& control, bool has_devices);

}  // namespace kbench::worker
