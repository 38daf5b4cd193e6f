// kbench-torch as a host of candidates: a process with Python and LibTorch loaded that forks one
// worker for each candidate, which then is the same as kbench-worker.
#pragma once

namespace kbench {

// Answers requests (problem/host_protocol.hpp) on `socket` until the judge is gone.
void host(int socket);

}  // namespace kbench
