// What the solutions of a run are built and hosted with.
#pragma once

#include <vector>

#include "build/builder.hpp"
#include "judge/job.hpp"
#include "judge/record.hpp"

namespace kbench {

// Has the recorder say which compilers these jobs need: to ask one takes a moment.
void note_compilers(const std::vector<Job>& jobs, const Toolchain& toolchain, Recorder& recorder);

}  // namespace kbench
