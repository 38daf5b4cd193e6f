// The GPUs of a run.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "build/builder.hpp"
#include "exec/gpus.hpp"
#include "judge/builds.hpp"
#include "judge/run.hpp"

namespace kbench {

struct RunGpus {
  Gpus found;                                      // moved, they stay where the locks point to
  Cupti cupti;                                     // for all of them
  std::vector<GpuLock> taken;                      // where a solution is to run there: at least one
  std::vector<std::shared_ptr<void>> clocks = {};  // of these, while they are locked
};

// Takes GPUs of one architecture, that of the first, where a job has a solution that wants one;
// else none.
RunGpus look_for_gpus(const std::vector<Job>& jobs, const RunOptions& options);

// Takes those that are free and answer, or waits for one, where a solution was built for them:
// RunOptions::gpus at most, else as many as there are processor cores for. What cannot be run moves
// to builds.unrun: that a solution could not be built is a verdict, that it is not run is none.
// `goes_on` is asked while it waits.
void take_gpus(RunGpus& gpus, Builds& builds, const Toolchain& toolchain, const RunOptions& options,
               const std::function<bool()>& goes_on);

}  // namespace kbench
