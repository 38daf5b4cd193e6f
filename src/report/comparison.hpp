// What `kbench compare` found, and how the solutions of a run came out against each other.
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
  std::optional<Compared> compared;  // none: one of them did not pass
  double seconds = 0;                // of timing; 0 of stored samples
};

struct ComparisonReport {
  std::string a, b;  // as they were called
  CompareRule rule;  // of all workloads together
  std::vector<ComparedWorkload> workloads;
  std::size_t planned = 0;  // workloads: more than there are where some could not be compared
  bool is_stored = false;   // from samples of two runs that are over

  // Over all workloads: the mean of the log ratios. None where one was not compared.
  std::optional<Compared> together() const;
};

Document comparison_document(const ComparisonReport& report);

// One that took part, and how it compares with the best.
struct Ranked {
  std::string solution;
  double p10_ns = 0;
  Compared to_best;
  bool is_slower = false;  // than another one, which need not be the best
};

struct RankedWorkload {
  std::string definition;
  Workload workload;
  std::vector<Ranked> solutions;  // the best first
};

// Returns a table a workload on which two and more passed.
std::vector<Grid> ranking_grids(const std::vector<RankedWorkload>& workloads);

}  // namespace kbench
