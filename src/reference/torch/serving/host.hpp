// kbench-torch as a host: a process with LibTorch loaded, and Python where it is one, that forks
// one worker for each candidate or reference, which then is the same as kbench-worker.
#pragma once

namespace kbench {

// Answers requests (problem/host_protocol.hpp) on `socket` until the judge is gone.
void host(int socket);

}  // namespace kbench
