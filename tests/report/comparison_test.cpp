#include "report/comparison.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

// Returns the advice about workloads that took 3 s for ten pairs, and are expected to take so many.
std::string advice(std::initializer_list<std::size_t> expected_pairs) {
  ComparisonReport report;
  for (const std::size_t pairs : expected_pairs) {
    report.workloads.push_back(
        {{}, {}, Compared{Answer::undecided, 10, 0, Interval{-1, 1}, pairs}, 3});
    report.workloads.back().a.evaluation.emplace();
    report.workloads.back().b.evaluation.emplace();
    if (pairs == 10) report.workloads.back().compared->answer = Answer::slower;
  }
  const std::string table = write_comparison_table(report, {});
  return table.substr(table.rfind("; ") + 2);
}

TEST(Comparison, SaysWhatWouldDecideIt) {
  EXPECT_EQ(advice({20, 10, 31}), "at the pace so far 10 s more would decide it: --budget 10\n");
  EXPECT_TRUE(advice({0}).starts_with("its pairs speak for no answer")) << advice({0});
  EXPECT_EQ(advice({10, 10}), "each workload has its own answer\n");
}

}  // namespace
}  // namespace kbench
