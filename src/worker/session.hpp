// The worker's life: map the memory, load the candidate, answer commands.
#pragma once

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

// The exit code of the process: 0 when the judge is gone, else the memory was not as it must be.
int serve();

}  // namespace kbench::worker
