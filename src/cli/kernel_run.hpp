// What kbench run --kernels judges: of each workload the kernel that libraries have for it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/kernel_set.hpp"
#include "cli/targets.hpp"
#include "evaluate/job.hpp"
#include "schema/kernel_record.hpp"

namespace kbench {

struct KernelRun {
  struct Choice {
    std::string solution;
    KernelRecord record;
  };
  std::map<std::pair<std::string, std::string>, Choice> choices;  // by definition and workload
  std::size_t missing = 0;                                        // workloads that no kernel serves
};

// Puts the chosen kernels in the place of the target's solutions. Workloads of a Definition that is
// linked to no operator are left out; those that no kernel serves are reported.
KernelRun choose_kernels(Target& target, const KernelSet& kernels, Diagnostics& diagnostics);

// Says of a job's solution which kernel it is. `run` must live as long.
std::function<std::optional<KernelRecord>(const Job& job, const Solution& solution)>
record_of_kernels(const KernelRun& run);

// Leaves each job the solution that is chosen for it.
std::vector<Job> with_choices(std::vector<Job> jobs, const KernelRun& run);

}  // namespace kbench
