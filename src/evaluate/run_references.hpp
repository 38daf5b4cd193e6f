// What a run needs to time references.
#pragma once

#include <functional>
#include <vector>

#include "build/builder.hpp"
#include "evaluate/run.hpp"
#include "exec/candidate_host.hpp"

namespace kbench {

// Starts LibTorch where one of the jobs has a solution that is timed beside it. Where it does not
// start, who asks it for something hears why.
void start_for_references(CandidateHost& libtorch, const std::vector<Job>& jobs,
                          const RunOptions& options);

// Puts the text of the job's reference where a host finds it. Both must outlive it.
std::function<BuildResult()> text_of_reference(const Job& job, const Toolchain& toolchain);

}  // namespace kbench
