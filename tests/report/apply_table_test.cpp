#include "report/apply_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace kbench {
namespace {

struct Runs {
  std::deque<Trace> traces;
  std::vector<Result> results;

  // Adds a result; a time of 0 is a failure.
  void add(std::int64_t n, const std::string& uuid, const std::string& solution, double ns) {
    Trace& trace = traces.emplace_back();
    trace.definition = "d";
    trace.workload.axes["n"] = n;
    trace.workload.uuid = uuid;
    trace.solution = solution;
    Result result{&trace, trace.definition, trace.workload.uuid, *trace.solution, "a CPU", "m"};
    result.passed = ns > 0;
    if (ns > 0) result.speed = Estimate{std::log(ns), {}};
    results.push_back(std::move(result));
  }
};

// A time that is hardly known wins nothing.
TEST(ApplyTable, GoesByTheEndThatSpeaksAgainstASolution) {
  Runs runs;
  runs.add(1, "u", "known", 30);
  runs.results.back().speed->interval = {std::log(29), std::log(31)};
  runs.add(1, "u", "hardly known", 20);
  runs.results.back().speed->interval = {std::log(10), std::log(40)};
  EXPECT_EQ(apply_table(runs.results).at("d").entries[0].solution, "known");
}

TEST(ApplyTable, TakesTheQuickestThatPassed) {
  Runs runs;
  runs.add(1, "u", "slow", 30);
  runs.add(1, "u", "quick", 20);
  runs.add(1, "u", "wrong", 0);
  const ApplyTable table = apply_table(runs.results);
  ASSERT_EQ(table.at("d").entries.size(), 1u);
  EXPECT_EQ(table.at("d").entries[0].solution, "quick");
  EXPECT_NEAR(table.at("d").entries[0].ns, 20, 1e-9);
  EXPECT_FALSE(table.at("d").regret);
}

TEST(ApplyTable, NamesTheSizesAtWhichNonePassed) {
  Runs runs;
  runs.add(1, "u", "k", 30);
  runs.add(7, "v", "k", 0);
  const AppliedDefinition table = apply_table(runs.results).at("d");
  EXPECT_EQ(table.entries.size(), 1u);
  EXPECT_EQ(table.unserved, std::vector<ApplyAxes>{{7}});
}

TEST(ApplyTable, TheOrderOfARecordsAxesCountsNothing) {
  Runs runs;
  for (const bool is_turned : {false, true}) {
    runs.add(2, is_turned ? "u" : "v", "k", is_turned ? 0 : 30);
    Trace& trace = runs.traces.back();
    trace.workload.axes = {};
    for (const char* name : {"n", "m"})
      trace.workload.axes[is_turned ? (*name == 'n' ? "m" : "n") : name] = 2;
  }
  const auto any = [](const std::string&) { return true; };
  EXPECT_TRUE(one_solution_each(runs.results, any).empty());
}

TEST(ApplyTable, OneSolutionEachPassedEverywhere) {
  Runs runs;
  runs.add(1, "u", "steady", 20);
  runs.add(8, "v", "steady", 20);
  runs.add(1, "u", "quick once", 5);
  runs.add(1, "u", "mixed", 10);
  runs.add(8, "v", "mixed", 39);
  runs.add(1, "u", "foreign", 1);
  runs.add(8, "v", "foreign", 1);
  const auto is_usable = [](const std::string& name) { return name != "foreign"; };
  EXPECT_EQ(one_solution_each(runs.results, is_usable).at("d"), "mixed");
  runs.add(8, "w", "mixed", 0);  // fails on another workload of these axes
  runs.add(8, "w", "steady", 20);
  EXPECT_EQ(one_solution_each(runs.results, is_usable).at("d"), "steady");
  EXPECT_TRUE(one_solution_each(runs.results, [](const std::string&) { return false; }).empty());
}

TEST(ApplyTable, EachConfigurationIsACandidate) {
  Runs runs;
  const auto add = [&](std::int64_t n, const char* uuid, std::int64_t block, double ns) {
    runs.add(n, uuid, "k", ns);
    ConfigurationRecord said;
    said.values["BLOCK"] = block;
    said.values["LAYOUT"] = std::string("row");
    runs.traces.back().is_sealed = true;
    auto& evaluation = runs.traces.back().evaluation.emplace();
    evaluation.kbench.emplace().configuration = said;
  };
  add(1, "u", 64, 20);
  add(1, "u", 128, 10);
  add(1, "u", 256, 0);  // a failure says nothing of the others
  add(8, "v", 64, 30);
  add(8, "v", 128, 40);
  runs.add(8, "v", "plain", 35);
  const AppliedDefinition table = apply_table(runs.results).at("d");
  ASSERT_EQ(table.entries.size(), 2u);
  EXPECT_EQ(configuration_text(*table.entries[0].configuration), "BLOCK=128,LAYOUT=row");
  EXPECT_EQ(configuration_text(*table.entries[1].configuration), "BLOCK=64,LAYOUT=row");
  // The held-out entries get each other's configuration: 20 instead of 10, and 40 instead of 30.
  EXPECT_EQ(table.regret->failed, 0u);
  EXPECT_NEAR(table.regret->worst, 1, 1e-9);
  const std::string text = write_apply_table(apply_table(runs.results), "a CPU");
  EXPECT_NE(text.find("\"BLOCK\": 128,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"LAYOUT\": \"row\""), std::string::npos) << text;
}

TEST(ApplyTable, WhoFailedOnceOnASizeIsNotChosenForIt) {
  Runs runs;
  runs.add(1, "u", "quick", 10);
  runs.add(1, "v", "quick", 0);
  runs.add(1, "u", "sure", 20);
  runs.add(1, "v", "sure", 20);
  EXPECT_EQ(apply_table(runs.results).at("d").entries[0].solution, "sure");
}

TEST(ApplyTable, WhoWasNotTriedOnAllIsNotChosen) {
  Runs runs;
  runs.add(1, "u", "quick", 10);
  runs.add(1, "u", "sure", 20);
  runs.add(1, "v", "sure", 20);
  EXPECT_EQ(apply_table(runs.results).at("d").entries[0].solution, "sure");
}

TEST(ApplyTable, OfNothingThatPassedThereIsNone) {
  Runs runs;
  runs.add(1, "u", "wrong", 0);
  EXPECT_TRUE(apply_table(runs.results).empty());
}

TEST(ApplyTable, TheNearestIsByFactors) {
  const std::vector<ApplyEntry> entries = {{{1}, "a", 1}, {{64}, "b", 1}, {{1024}, "c", 1}};
  EXPECT_EQ(nearest_entry(entries, {8}).solution, "a");  // 9/2 is less than 65/9
  EXPECT_EQ(nearest_entry(entries, {300}).solution, "c");
  EXPECT_EQ(nearest_entry(entries, {200}).solution, "b");
  EXPECT_EQ(nearest_entry(entries, {0}).solution, "a");
}

// Small sizes and large ones have a winner each; if held out, the middle ones are chosen rightly.
TEST(ApplyTable, RegretIsWhatTheNearestOtherEntryCosts) {
  Runs runs;
  for (const std::int64_t n : {1, 2, 1024, 2048}) {
    const bool is_small = n < 100;
    runs.add(n, "u" + std::to_string(n), "small", is_small ? 10 : 40);
    runs.add(n, "u" + std::to_string(n), "large", is_small ? 20 : 30);
  }
  const Regret regret = *apply_table(runs.results).at("d").regret;
  EXPECT_EQ(regret.held_out, 4u);
  EXPECT_EQ(regret.failed, 0u);
  EXPECT_NEAR(regret.worst, 0, 1e-9);
  runs.add(64, "u64", "small", 10);
  runs.add(64, "u64", "large", 12);
  const Regret more = *apply_table(runs.results).at("d").regret;  // 64 is nearest to 1024
  EXPECT_NEAR(more.worst, 0.2, 1e-9);
  EXPECT_NEAR(more.mean, std::exp(std::log(1.2) / 5) - 1, 1e-9);
}

TEST(ApplyTable, CountsChoicesThatWouldNotHavePassed) {
  Runs runs;
  runs.add(1, "u", "a", 10);
  runs.add(2, "v", "b", 10);
  const Regret regret = *apply_table(runs.results).at("d").regret;
  EXPECT_EQ(regret.failed, 2u);
  EXPECT_EQ(regret.mean, 0);
}

}  // namespace
}  // namespace kbench
