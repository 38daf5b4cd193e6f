// Work of a run: the trace sets, their jobs, and what is judged already.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "judge/job.hpp"
#include "kernels/contract/kernel_run.hpp"
#include "report/stored_pairs.hpp"
#include "schema/targets.hpp"

namespace kbench {

struct Plan {
  std::vector<Target> targets;
  std::vector<std::vector<Job>> jobs;            // one list a target
  std::vector<std::vector<Stored<Trace>>> done;  // pairs that need no verdict, one list a target
  std::vector<KernelRun> kernels;                // one a target, with --kernels
  std::string sample;                            // share of all the jobs, with --limit

  std::size_t count_jobs() const;
  std::size_t count_missing() const;  // workloads that no kernel serves
};

// `known` are verdicts of before. Mistakes in names and settings are reported.
Plan plan_run(const RunCommand& command, const Settings& settings,
              const std::vector<Stored<Trace>>& known, Diagnostics& reports);

// Folder of a trace set's traces/; "" for nowhere.
std::filesystem::path out_for(const RunCommand& command, const TraceSet& set);

// Tells whether there is a place for all records; reports where there is none.
bool can_write_all(const RunCommand& command, const Plan& plan, Diagnostics& reports);

// Files and folders that verdicts rest on: all in the trace sets but traces, and what the command
// line names.
std::vector<std::filesystem::path> sources_of(const RunCommand& command, const Plan& plan);

// A sample of a large trace set: `kbench run --limit N`.

// Picks at most `limit` of these workloads: every definition has one before any has two, and those
// taken lie far apart in the order given. A larger limit takes the same ones and more.
std::set<WorkloadKey> sample(const std::vector<WorkloadKey>& workloads, std::size_t limit);

// Leaves the jobs of such a sample, and returns a line that says how much of all it is.
std::string take_sample(std::vector<std::vector<Job>>& jobs, std::size_t limit);

}  // namespace kbench
