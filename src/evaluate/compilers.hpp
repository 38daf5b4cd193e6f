// What the solutions of a run are built and hosted with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "build/builder.hpp"
#include "evaluate/job.hpp"
#include "evaluate/record.hpp"

namespace kbench {

bool any_in_python(const std::vector<Job>& jobs);

// Has the recorder say which compilers these jobs need: to ask one takes a moment.
void note_compilers(const std::vector<Job>& jobs, const Toolchain& toolchain, Recorder& recorder);

// Says of solutions why they are not judged; a reason that many share is said once.
void report_reasons(Level level, const std::map<const Solution*, std::string>& solutions,
                    Diagnostics& out);

}  // namespace kbench
