// What a run will do: which workloads of which definitions, with which solutions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Empty lists select everything. Names match exactly, else by unique prefix.
struct Selection {
  std::vector<std::string> definitions;
  std::vector<std::string> solutions;
  std::vector<std::string> workloads;  // uuids
  std::vector<std::string> op_types;
  std::vector<std::string> tags;
  Where definitions_said{};  // where a file names them, for messages
  Where solutions_said{};
};

// One workload and the solutions that are judged on it.
struct Job {
  const Definition* definition = nullptr;
  const Stored<Trace>* workload = nullptr;
  std::vector<const Solution*> solutions;
};

// Jobs in the order of the trace set's files. `workloads` are the lines to judge; one that names a
// solution is judged with that one alone. Reported are names that select nothing, workloads and
// solutions of definitions that are not there, solutions that cannot be called and constraints that
// cannot be checked.
std::vector<Job> plan_jobs(const TraceSet& set, const std::vector<Stored<Trace>>& workloads,
                           const Selection& selection, Diagnostics& diagnostics);

// Takes out the pairs of workload and solution that `traces` hold a verdict of this rule for,
// unless definition or solution are others since.
std::vector<Job> without_done(std::vector<Job> jobs, const std::vector<Stored<Trace>>& traces,
                              std::string_view rule);

// SHA-1 of all that the two say: what else a verdict rests on is the workload and the settings.
std::string content_hash(const Definition& definition, const Solution& solution);

std::size_t count_evaluations(const std::vector<Job>& jobs);

}  // namespace kbench
