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

}  // namespace kbench::worker
