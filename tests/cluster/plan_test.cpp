#include "cluster/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

PlannedWork planned(const std::string& workload, double reference_ms,
                    const std::vector<double>& pairs_ms) {
  PlannedWork work;
  work.unit.definition = "d";
  work.unit.workload = workload;
  for (std::size_t i = 0; i < pairs_ms.size(); ++i) {
    work.unit.solutions.push_back("s" + std::to_string(i));
    work.unit.digests.push_back("digest of s" + std::to_string(i));
  }
  work.reference_ms = reference_ms;
  work.pairs_ms = pairs_ms;
  return work;
}

double longest(const std::vector<PlanUnit>& units, std::int64_t shards) {
  const auto costs = shard_costs(units, shards);
  return *std::max_element(costs.begin(), costs.end());
}

TEST(Plan, TheLongestComesFirstIntoTheEmptiestShard) {
  std::vector<PlannedWork> work;
  for (const double cost : {1, 1, 2, 2, 3, 3}) work.push_back(planned("w", 0, {cost}));
  const auto units = divide(work, 3);
  EXPECT_EQ(longest(units, 3), 4);  // 3+1, 3+1, 2+2
  ASSERT_EQ(units.size(), work.size());
  for (std::size_t i = 0; i < units.size(); ++i) EXPECT_EQ(units[i].cost_ms, work[i].pairs_ms[0]);
}

TEST(Plan, AWorkloadAndItsSolutionsStayTogetherWhereTheyFit) {
  std::vector<PlannedWork> work;
  for (int i = 0; i < 12; ++i) work.push_back(planned("w" + std::to_string(i), 1, {1, 1, 1}));
  const auto units = divide(work, 4);
  ASSERT_EQ(units.size(), 12u);
  for (const PlanUnit& unit : units) EXPECT_EQ(unit.solutions.size(), 3u);
  EXPECT_EQ(longest(units, 4), 12);
}

TEST(Plan, OneWorkloadOfManyCandidatesIsCutAndEachPieceHasTheReference) {
  const auto units = divide({planned("w", 2, std::vector<double>(100, 1.0))}, 5);
  ASSERT_EQ(units.size(), 5u);
  std::vector<std::string> solutions;
  for (const PlanUnit& unit : units) {
    EXPECT_EQ(unit.cost_ms, 2 + static_cast<double>(unit.solutions.size()));
    ASSERT_EQ(unit.digests.size(), unit.solutions.size());
    for (std::size_t i = 0; i < unit.solutions.size(); ++i)
      EXPECT_EQ(unit.digests[i], "digest of " + unit.solutions[i]);
    solutions.insert(solutions.end(), unit.solutions.begin(), unit.solutions.end());
  }
  EXPECT_EQ(solutions, planned("w", 2, std::vector<double>(100, 1.0)).unit.solutions);
  EXPECT_LE(longest(units, 5), 23);
}

TEST(Plan, WorkThatIsLongerThanAShardIsSpreadEvenly) {
  std::vector<PlannedWork> work;
  for (int i = 0; i < 10; ++i)
    work.push_back(planned("w" + std::to_string(i), 3, std::vector<double>(1000, 1.0)));
  work.push_back(planned("small", 1, {2}));
  const auto units = divide(work, 24);
  std::size_t pairs = 0;
  for (const PlanUnit& unit : units) pairs += unit.solutions.size();
  EXPECT_EQ(pairs, 10001u);
  EXPECT_LE(longest(units, 24), 1.02 * 10000 / 24);
  EXPECT_EQ(units.back().workload, "small");
}

TEST(Plan, APairIsNeverCutAndNoShardIsDividedTwice) {
  const auto units = divide({planned("long", 0, {1000}), planned("short", 0, {1})}, 4);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_NE(units[0].shard, units[1].shard);
}

TEST(Plan, TheSameWorkIsDividedTheSameWay) {
  std::vector<PlannedWork> work;
  for (int i = 0; i < 50; ++i)
    work.push_back(planned("w" + std::to_string(i), i % 3, {1.0 + i % 7, 2.0 + i % 5}));
  EXPECT_EQ(plan_text({}, divide(work, 7)), plan_text({}, divide(work, 7)));
}

TEST(Plan, ATargetSaysHowManyShards) {
  EXPECT_EQ(shards_for({planned("w", 100, {400, 500})}, 1000), 1);
  EXPECT_EQ(shards_for({planned("w", 101, {400, 500})}, 1000), 2);
}

PlanHead small_head() {
  PlanHead head;
  head.shards = 2;
  head.options = {"--root", "a folder"};
  return head;
}

TEST(Plan, AFileSaysWhatWasWritten) {
  TempFolder folder;
  const auto units = divide({planned("w", 0, {1, 1}), planned("v", 0, {1, 1})}, 2);
  write_file(folder.path() / "plan.jsonl", plan_text(small_head(), units));
  Diagnostics reports;
  const auto plan = read_plan(folder.path() / "plan.jsonl", reports);
  ASSERT_TRUE(plan) << render(reports.items().front(), false);
  EXPECT_EQ(plan_text(plan->head, plan->units), plan_text(small_head(), units));
  EXPECT_EQ(plan->head.pairs, 4);
  EXPECT_EQ(plan->count_pairs(), 4u);
  EXPECT_EQ(plan->digest.size(), 16u);
}

TEST(Plan, AFileThatWasCutOrHasAPairTwiceIsNone) {
  TempFolder folder;
  const auto units = divide({planned("w", 0, {1, 1}), planned("v", 0, {1, 1})}, 2);
  const std::string whole = plan_text(small_head(), units);
  const auto twice = std::vector{units[0], units[0]};
  const std::string head = whole.substr(0, whole.find('\n') + 1);
  const std::string cut = whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1);
  for (const std::string& text : {head, cut, plan_text(small_head(), twice)}) {
    write_file(folder.path() / "plan.jsonl", text);
    Diagnostics reports;
    EXPECT_FALSE(read_plan(folder.path() / "plan.jsonl", reports)) << text;
    EXPECT_EQ(reports.errors(), 1u);
  }
}

TEST(Plan, WhatIsWrongInAFileHasItsLine) {
  TempFolder folder;
  const std::string head = plan_text(small_head(), {});
  const std::string unit =
      R"({"definition": "d", "workload": "w", "solutions": ["s"], "digests": [], )"
      R"("cost_ms": 1, "shard": 0})";
  write_file(folder.path() / "plan.jsonl", head + unit + "\n");
  Diagnostics reports;
  EXPECT_FALSE(read_plan(folder.path() / "plan.jsonl", reports));
  ASSERT_EQ(reports.errors(), 1u);
  EXPECT_EQ(reports.items().front().where.line, 2);
  Diagnostics missing;
  EXPECT_FALSE(read_plan(folder.path() / "none.jsonl", missing));
  EXPECT_EQ(missing.errors(), 1u);
}

TEST(Plan, AShardThatIsNotThereIsAnError) {
  TempFolder folder;
  auto units = divide({planned("w", 0, {1})}, 1);
  units[0].shard = 2;
  write_file(folder.path() / "plan.jsonl", plan_text(small_head(), units));
  Diagnostics reports;
  EXPECT_FALSE(read_plan(folder.path() / "plan.jsonl", reports));
}

TEST(Plan, ADigestTellsPairsApart) {
  EXPECT_NE(pair_digest("d", "w", "s"), pair_digest("d", "s", "w"));
  EXPECT_EQ(pair_digest("d", "w", "s").size(), 16u);
}

}  // namespace
}  // namespace kbench
