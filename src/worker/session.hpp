// The worker's life: map the memory, load the candidate, answer commands.
#pragma once

#include "problem/worker_protocol.hpp"
#include "worker/candidate.hpp"

namespace kbench::worker {

// The exit code of the process: 0 when the judge is gone, else the memory was not as it must be.
int serve(const Loader& loader);

}  // namespace kbench::worker
