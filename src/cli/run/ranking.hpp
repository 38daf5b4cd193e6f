// The order of the solutions of a workload that were timed in turn.
#pragma once

#include "evaluate/run.hpp"
#include "report/ranking.hpp"

namespace kbench {

// Nobody where fewer than two passed.
RankedWorkload rank(const Job& job, const WorkloadContest& contest);

}  // namespace kbench
