// A sample of a large trace set: `kbench run --limit N`.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "evaluate/job.hpp"
#include "report/stored_pairs.hpp"

namespace kbench {

// At most `limit` of these workloads: every definition has one before any has two, and what is
// taken lies far apart in the order given. A larger limit takes the same ones and more.
std::set<WorkloadKey> sample(const std::vector<WorkloadKey>& workloads, std::size_t limit);

// Leaves the jobs of such a sample, and returns a line that says how much of all it is.
std::string take_sample(std::vector<std::vector<Job>>& jobs, std::size_t limit);

}  // namespace kbench
