// Findings of `kbench compare`, and rankings of the solutions of a run against each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/comparison.hpp"
#include "report/format.hpp"
#include "schema/trace.hpp"

namespace kbench {

// One workload: both records, and how B compares with A.
struct ComparedWorkload {
  Trace a, b;
  std::optional<Compared> compared;  // absent where one of them did not pass
  double seconds = 0;                // time that timing took; 0 for stored samples
};

struct ComparisonReport {
  std::string a, b;  // names as they were given
  CompareRule rule;  // applies to all workloads together
  std::vector<ComparedWorkload> workloads;
  std::size_t planned = 0;  // workloads: more than there are where some could not be compared
  bool is_stored = false;   // set for samples of two runs that are over

  // Mean of the log ratios over all workloads. Returns nothing where one was not compared.
  std::optional<Compared> together() const;
};

Document comparison_document(const ComparisonReport& report);

// Solution that took part, and how it compares with the best.
struct Ranked {
  std::string solution;
  double p10_ns = 0;
  Compared to_best;
  bool is_slower = false;  // slower than another one, which need not be the best
};

struct RankedWorkload {
  std::string definition;
  Workload workload;
  std::vector<Ranked> solutions;  // the best first
};

// Returns a table a workload on which two and more passed.
std::vector<Grid> ranking_grids(const std::vector<RankedWorkload>& workloads);

}  // namespace kbench
