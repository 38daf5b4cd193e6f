// How the solutions of a workload came out against each other → text.
#pragma once

#include <string>
#include <vector>

#include "measure/comparison.hpp"
#include "report/format.hpp"
#include "schema/trace.hpp"

namespace kbench {

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

std::string write_ranking(const std::vector<RankedWorkload>& workloads,
                          const ReportOptions& options);

}  // namespace kbench
