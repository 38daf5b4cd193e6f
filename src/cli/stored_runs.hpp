// Two files of traces, for `kbench compare OLD NEW`.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "report/comparison.hpp"

namespace kbench {

// The records of both that belong together: of the same workload and solution, or of the same
// workload where each file has one solution of it and their names differ. What cannot be compared
// (another machine, unless `across_machines`; other threads, another cache state) is reported.
ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out);

}  // namespace kbench
