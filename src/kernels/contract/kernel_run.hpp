// What kbench run --kernels judges: of each workload the kernel that libraries have for it.
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
  // By definition, workload and solution: what is to be judged.
  std::map<std::tuple<std::string, std::string, std::string>, KernelRecord> choices;
  std::size_t missing = 0;  // workloads that no kernel serves
};

// Where an implementation of a library comes from.
struct KernelOrigin {
  const KernelLibrary* library = nullptr;
  const Kernel* kernel = nullptr;
};
KernelOrigin origin_of(const Implementation& implementation, const KernelSet& kernels);

KernelRecord record_of(const Implementation& implementation, bool is_exact);

// Puts the chosen kernels in the place of the target's solutions. Workloads of a Definition that is
// linked to no operator are left out; those that no kernel serves are reported.
KernelRun choose_kernels(Target& target, const KernelSet& kernels, Diagnostics& diagnostics);

// Says of a job's solution which kernel it is. `run` must live as long.
std::function<std::optional<KernelRecord>(const Job& job, const Solution& solution)>
record_of_kernels(const KernelRun& run);

// Leaves each job the solutions that are chosen for it.
std::vector<Job> with_choices(std::vector<Job> jobs, const KernelRun& run);

}  // namespace kbench
