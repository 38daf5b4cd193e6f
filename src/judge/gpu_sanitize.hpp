// A solution in CUDA under the tools of compute-sanitizer: docs/sanitize.md.
#pragma once

#include "judge/evaluate.hpp"

namespace kbench {

// Judged under each of the tools that are asked for, in a process of its own each. The record is
// that of the first under which it failed, with what all of them found.
Evaluation evaluate_under_tools(const PreparedWorkload& workload, SharedMemory& stage,
                                const Solution& solution, const BuildResult& build,
                                const EvaluateOptions& options);

}  // namespace kbench
