// Meaning of the two words of `kbench compare`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/job.hpp"
#include "report/comparison.hpp"
#include "report/stored_pairs.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Two solutions of one definition.
struct Sides {
  const Solution* a = nullptr;
  const Solution* b = nullptr;
};

// Each word is a solution (exactly, else by unique prefix), or else an author: then all definitions
// of which both words have one solution. `definitions`: those compared; none: all. A word that is
// not clear is reported.
std::vector<Sides> find_sides(const TraceSet& set, const std::string& a, const std::string& b,
                              const std::vector<std::string>& definitions, Diagnostics& out);

// The jobs of these, with the two solutions in their order.
std::vector<Job> jobs_of(const std::vector<Sides>& sides, std::vector<Job> jobs);

// Runs that are over, from their files of traces.

// Reads the files of traces of `path`: the last record of each workload and solution, outdated ones
// by `set` marked. Returns nothing where it is not there or holds none, which is reported.
std::optional<RunRecords> read_run(const std::string& path, Diagnostics& out,
                                   const TraceSet* set = nullptr);

// Adds the records of both that belong together: of the same workload and solution, or, where each
// run has one solution of a workload, even if their names differ. A pair that cannot be compared
// (another machine, unless `across_machines`; other threads, another cache state) is reported.
void compare_records(ComparisonReport& report, const RunRecords& old_run, const RunRecords& new_run,
                     bool across_machines, Diagnostics& out);

// Compares two files or folders of traces.
ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out);

}  // namespace kbench
