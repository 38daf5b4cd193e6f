// The worker's life: map the memory, load the candidate, answer commands.
#pragma once

#include <functional>

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"

namespace kbench::worker {

// Times the candidate as Control::repetitions says, and leaves its report. False: a call failed.
using Engine = std::function<bool(Control& control, Candidate& candidate)>;

// The exit code of the process: 0 when the judge is gone, else the memory was not as it must be.
// `google_benchmark` is that of a worker that has it.
int serve(const Loader& loader, const Engine& google_benchmark = {});

}  // namespace kbench::worker
