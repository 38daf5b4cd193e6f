// Jobs of a run: which workloads of which definitions, with which solutions.
#pragma once

#include <functional>
#include <string>
#include <utility>
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
  Where definitions_said{};  // place where a file names them, for messages
  Where solutions_said{};
};

// One workload and the solutions that are judged on it.
struct Job {
  const Definition* definition = nullptr;
  const Stored<Trace>* workload = nullptr;
  std::vector<const Solution*> solutions;
};

// The names of the parameters that a Solution declares: its launch may name them.
using ParametersOf = std::function<std::vector<std::string>(const Stored<Solution>&)>;

// Jobs in the order of the trace set's files. `workloads` are the lines to judge; one that names a
// solution is judged with that one alone. Names that select nothing, workloads and solutions of
// definitions that are not there, solutions that cannot be called and constraints that cannot be
// checked are reported.
std::vector<Job> plan_jobs(const TraceSet& set, const std::vector<Stored<Trace>>& workloads,
                           const Selection& selection, Diagnostics& diagnostics,
                           const ParametersOf& parameters_of = {});

// Tells whether a kernel by itself can be launched, by its definition; what is wrong is reported.
// True of others.
bool can_be_launched(const Stored<Solution>& stored, const Definition& definition,
                     Diagnostics& diagnostics, const ParametersOf& parameters_of = {});

// Tells whether a record of this pair makes it needless to judge it again.
using Stands =
    std::function<bool(const Evaluation& record, const Job& job, const Solution& solution)>;

struct Remaining {
  std::vector<Job> jobs;
  // Pairs with a record that stands, in the order of the jobs.
  std::vector<std::pair<const Solution*, const Evaluation*>> done;
};

// Takes out the pairs of workload and solution that one of `traces` stands for.
Remaining without_done(std::vector<Job> jobs, const std::vector<Stored<Trace>>& traces,
                       const Stands& stands);

std::size_t count_evaluations(const std::vector<Job>& jobs);

}  // namespace kbench
