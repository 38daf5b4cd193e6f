// Records of two runs that belong together, and how their times compare.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "measure/comparison.hpp"
#include "schema/trace.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

using WorkloadKey = std::pair<std::string, std::string>;  // definition and uuid

// Evaluated traces by workload and solution.
using RunRecords = std::map<WorkloadKey, std::map<std::string, Stored<Trace>>>;

struct RecordPair {
  const Stored<Trace>* a;
  const Stored<Trace>* b;
};

// Pairs the records of the same workload and solution, or of the same workload where each run has
// one solution of it and their names differ.
std::vector<RecordPair> pairs_of(const RunRecords& old_records, const RunRecords& new_records);

// Reasons, each at its record, why the times of two that passed cannot be compared: no samples, an
// edited record, another machine (unless `across_machines`), other threads, another cache state.
Diagnostics obstacles(const RecordPair& pair, bool across_machines);

// Compares the times of a pair without obstacles.
Compared compare_times(const RecordPair& pair, const CompareRule& rule);

}  // namespace kbench
