// Plan of kbench run --kernels: of each workload the kernel that libraries have for it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/job.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "schema/detail_records.hpp"
#include "schema/targets.hpp"

namespace kbench {

struct KernelRun {
  // Choices to judge, by definition, workload and solution.
  std::map<std::tuple<std::string, std::string, std::string>, KernelRecord> choices;
  std::size_t missing = 0;  // workloads that no kernel serves
};

// Library and kernel of an implementation.
struct KernelOrigin {
  const KernelLibrary* library = nullptr;
  const Kernel* kernel = nullptr;
};
KernelOrigin origin_of(const Implementation& implementation, const KernelSet& kernels);

KernelRecord record_of(const Implementation& implementation, bool is_exact);

// Puts the chosen kernels in the place of the target's solutions. Workloads of a Definition that is
// linked to no operator are left out; those that no kernel serves are reported.
KernelRun choose_kernels(Target& target, const KernelSet& kernels, Diagnostics& diagnostics);

// Returns a function that names the kernel of a job's solution. `run` must live as long.
std::function<std::optional<KernelRecord>(const Job& job, const Solution& solution)>
record_of_kernels(const KernelRun& run);

// Keeps, of each job, the solutions that are chosen for it; jobs without any are dropped.
std::vector<Job> with_choices(std::vector<Job> jobs, const KernelRun& run);

}  // namespace kbench
