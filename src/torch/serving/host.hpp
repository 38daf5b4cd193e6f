// kbench-torch as a host: a process with LibTorch loaded, and Python where that is asked for, that
// forks one worker for each candidate or reference, which then is the same as kbench-worker.
#pragma once

#include "problem/reference_protocol.hpp"

namespace kbench {

// Answers requests (problem/host_protocol.hpp) on `socket` until the judge is gone. `evaluator`:
// what its workers run in.
void host(int socket, Evaluator evaluator);

}  // namespace kbench
