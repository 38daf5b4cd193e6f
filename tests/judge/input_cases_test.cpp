// Programs that only inputs of another kind show to be wrong, from reports (../shared/cases):
// judged end to end, over several seeds and in audit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <variant>

#include "judge/judge.hpp"
#include "support/outside.hpp"

namespace kbench {
namespace {

// "solution at n" of each one that does not pass.
using Refused = std::set<std::string>;

Refused refused(const std::string& name, const std::set<std::string>& definitions,
                const JudgeOptions& how) {
  Diagnostics problems;
  TraceSet set = load_trace_set(cases_folder() / name, {true, false, 0}, problems);
  std::erase_if(set.workloads, [&](const Stored<Trace>& one) {
    const auto& inputs = one.record.workload.inputs;
    const bool is_stored = std::any_of(inputs.begin(), inputs.end(), [](const auto& input) {
      return std::holds_alternative<SafetensorsInput>(input.second);
    });
    return is_stored || !definitions.contains(one.record.definition);
  });
  Refused out;
  for (const Stored<Trace>& workload : set.workloads) {
    const auto traces = judge(set, {workload}, how);
    EXPECT_FALSE(traces.empty()) << name;
    for (const auto& [solution, trace] : traces) {
      if (trace.evaluation->status == Status::passed) continue;
      out.insert(fmt::format("{} at {}", solution, workload.record.workload.axes.items[0].second));
    }
  }
  return out;
}

void expect_refused(const std::string& name, const std::set<std::string>& definitions,
                    const Refused& wanted) {
  JudgeOptions how;
  how.rule = "kbench";
  for (how.seed = 0; how.seed < 3; ++how.seed)
    EXPECT_EQ(refused(name, definitions, how), wanted) << "seed " << how.seed;
  how.audit.emplace().sets = 8;
  EXPECT_EQ(refused(name, definitions, how), wanted) << "audit";
}

TEST(InputCases, TheLastRowOfATableAndRepeats) {
  KBENCH_NEEDS_CASE("10-gather-beyond-2-31");
  expect_refused("10-gather-beyond-2-31", {"lookup_d8"},
                 {"not_the_last_row at 4", "not_the_last_row at 64", "no_repeated_ids at 4",
                  "no_repeated_ids at 64", "id_zero_is_padding at 4", "id_zero_is_padding at 64"});
}

TEST(InputCases, ClustersAndSkewedRoutes) {
  KBENCH_NEEDS_CASE("11-clustered-and-skewed");
  expect_refused("11-clustered-and-skewed", {"topk_k8_n1024", "routed_e8"},
                 {"four_a_part at 4", "four_a_part at 16", "five_a_part at 4", "five_a_part at 16",
                  "seven_a_part at 4", "seven_a_part at 16", "twice_the_mean at 256"});
}

TEST(InputCases, CountersThatOverflow) {
  KBENCH_NEEDS_CASE("12-histogram-contention");
  expect_refused("12-histogram-contention", {"histogram_b256"}, {"counters_of_8_bits at 4096"});
}

TEST(InputCases, HistoryThatIsCutOff) {
  KBENCH_NEEDS_CASE("13-truncated-history");
  expect_refused("13-truncated-history", {"gated_scan"}, {"last_64_steps at 512"});
}

// Each share is larger than what float32 rounds the result by.
TEST(InputCases, ReductionsToOneNumberThatLackTerms) {
  KBENCH_NEEDS_CASE("06b-mean-small");
  const std::set<std::string> definitions{"mean_abs", "mean_p", "mean_sq", "norm_all", "sum_all"};
  Refused wanted;
  for (const std::string& definition : definitions)
    for (const char* part : {"last", "half_percent", "1_percent", "5_percent"})
      for (const int b : {1, 4, 16, 64, 256})
        wanted.insert(fmt::format("{}_drop_{} at {}", definition, part, b));
  JudgeOptions how;
  how.rule = "kbench";
  const std::uint64_t seeds = std::getenv("KBENCH_FULL") != nullptr ? 2 : 1;
  for (how.seed = 0; how.seed < seeds; ++how.seed)
    EXPECT_EQ(refused("06b-mean-small", definitions, how), wanted) << "seed " << how.seed;
}

// Programs whose names say that they are right pass, and no others.
void expect_right_ones_pass(const std::string& name, const std::string& left_out = "") {
  Diagnostics problems;
  const TraceSet set = load_trace_set(cases_folder() / name, {true, false, 0}, problems);
  std::set<std::string> definitions;
  Refused wanted;
  for (const Stored<Trace>& one : set.workloads) {
    if (one.record.definition == left_out) continue;
    definitions.insert(one.record.definition);
    for (const auto& solution : set.solutions) {
      const std::string& called = solution.record.name;
      const bool is_right =
          std::ranges::any_of(std::array{"right_", "same_", "upper_", "mean_of_both_"},
                              [&](const char* begin) { return called.starts_with(begin); });
      if (solution.record.definition != one.record.definition || is_right) continue;
      wanted.insert(fmt::format("{} at {}", called, one.record.workload.axes.items[0].second));
    }
  }
  expect_refused(name, definitions, wanted);
}

TEST(InputCases, WholeNumbersNearTheEndsOfTheirDtype) {
  KBENCH_NEEDS_CASE("31-integer-range");
  expect_right_ones_pass("31-integer-range");
}

TEST(InputCases, DivisorsAreNotZero) {
  KBENCH_NEEDS_CASE("32-integer-division");
  expect_right_ones_pass("32-integer-division");
}

TEST(InputCases, ConstantsThatTheReferenceLooksFor) {
  KBENCH_NEEDS_CASE("33-ignored-labels");
  expect_right_ones_pass("33-ignored-labels");
}

TEST(InputCases, RowsOfAMaskThatAreAllFalseOrAllTrue) {
  KBENCH_NEEDS_CASE("38-fully-masked-rows");
  expect_right_ones_pass("38-fully-masked-rows");
}

TEST(InputCases, ArgumentsThatAnOperatorNeedsSortedOrSymmetric) {
  KBENCH_NEEDS_CASE("39-inputs-with-structure");
  expect_right_ones_pass("39-inputs-with-structure", "kl_n32");  // its answer is NaN: a warning
}

}  // namespace
}  // namespace kbench
