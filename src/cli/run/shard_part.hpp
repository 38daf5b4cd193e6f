// The part of a run's jobs that is one shard's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/judging/planned.hpp"
#include "cli/run/run_plan.hpp"
#include "cluster/costs.hpp"
#include "cluster/plan.hpp"

namespace kbench {

// Pairs that a run has to judge, each once, and their expected costs. Digests cost the reading of
// stored tensors; without, they are "".
std::vector<PlannedWork> work_of(const Plan& plan, const JudgingCosts& costs, bool with_digests);

// Leaves the jobs of one shard. Pairs of its plan that are not there, or are others since, are
// reported.
void keep_shard(Plan& plan, const WorkPart& part, Diagnostics& reports);

// Leaves out the pairs of a planned shard that have a record in its folder which gather counts.
void leave_out_recorded(Plan& plan, const WorkPart& part, const std::filesystem::path& folder);

// kbench run --plan FILE --shard WORD: `given` are the command's options.
int run_shard(const std::string& plan_file, const std::string& shard, const std::string& out,
              const std::vector<GivenOption>& given);

}  // namespace kbench
