// The GPU of a run.
#pragma once

#include <optional>

#include "evaluate/builds.hpp"
#include "evaluate/run.hpp"
#include "exec/gpus.hpp"

namespace kbench {

struct RunGpu {
  Gpus gpus;                    // moved, they stay where the lock points to
  std::optional<GpuLock> lock;  // on one of them, where a solution is to run there
};

bool any_in_cuda(const Builds& builds);

// Looks for one where a solution was built for it. What cannot be run moves to builds.unrun: that a
// solution could not be built is a verdict, that it is not run is none.
RunGpu find_gpu(Builds& builds, const RunOptions& options);

}  // namespace kbench
