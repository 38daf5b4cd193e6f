// Solutions timed in turn, two by two, for `kbench compare`, and for a run that is held against a
// base.
#pragma once

#include <string_view>
#include <vector>

#include "judge/run.hpp"
#include "report/comparison.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Jobs of a trace set, each of two solutions: A and B.
struct Round {
  const TraceSet* set;
  std::vector<Job> jobs;
  std::string_view of_a = "";  // tells A from B where they have one name: " of the base"
};

struct ComparedRounds {
  std::vector<ComparedWorkload> workloads;  // ordered as the jobs are, without those abandoned
  RunTotals totals;
};

std::size_t count_jobs(const std::vector<Round>& rounds);

// Times as `options` say, with their contest: its rule is each workload's. Shows what is going on,
// and says who fails.
ComparedRounds compare_rounds(const std::vector<Round>& rounds, const RunOptions& options);

}  // namespace kbench
