// Runs that are over, from their files of traces.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "report/comparison.hpp"
#include "report/stored_pairs.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Reads the files of traces of `path`: the last record of each workload and solution, those of what
// has changed in `set` marked; nothing where it is not there or holds none, which is reported.
std::optional<RunRecords> read_run(const std::string& path, Diagnostics& out,
                                   const TraceSet* set = nullptr);

// Adds the records of both that belong together: of the same workload and solution, or of the same
// workload where each run has one solution of it and their names differ. What cannot be compared
// (another machine, unless `across_machines`; other threads, another cache state) is reported.
void compare_records(ComparisonReport& report, const RunRecords& old_run, const RunRecords& new_run,
                     bool across_machines, Diagnostics& out);

// Compares two files or folders of traces.
ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out);

}  // namespace kbench
