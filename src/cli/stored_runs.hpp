// Runs that are over, from their files of traces.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "report/comparison.hpp"
#include "report/stored_pairs.hpp"

namespace kbench {

// What the files of traces of `path` hold, the last record of each workload and solution; nothing
// where it is not there or holds none, which is reported.
std::optional<RunRecords> read_run(const std::string& path, Diagnostics& out);

// The records of both that belong together: of the same workload and solution, or of the same
// workload where each file has one solution of it and their names differ. What cannot be compared
// (another machine, unless `across_machines`; other threads, another cache state) is reported.
ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out);

}  // namespace kbench
