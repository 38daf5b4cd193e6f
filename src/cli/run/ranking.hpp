// The order of the solutions of a workload that were timed in turn.
#pragma once

#include <string_view>
#include <vector>

#include "evaluate/run.hpp"
#include "report/ranking.hpp"

namespace kbench {

// Nobody where fewer than two passed.
RankedWorkload rank(const Job& job, const WorkloadContest& contest);

// On stdout below a table; formats of traces have no place for it.
void print_ranking(std::string_view format, const std::vector<RankedWorkload>& ranking);

}  // namespace kbench
