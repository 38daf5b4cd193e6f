#include "report/leaderboard.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace kbench {
namespace {

// Samples around `median_ns`, 1 % to either side.
std::vector<double> samples_around(double median_ns) {
  std::vector<double> samples;
  for (int i = 0; i <= 100; ++i) samples.push_back(median_ns * (0.99 + 0.0002 * i));
  return samples;
}

// Records as a run leaves them; the reference takes 1,000 ns.
struct Records {
  std::deque<Trace> traces;

  Evaluation& add(const std::string& definition, const std::string& uuid,
                  const std::string& solution, Status status = Status::passed) {
    Trace& trace = traces.emplace_back();
    trace.definition = definition;
    trace.workload.uuid = uuid;
    trace.solution = solution;
    trace.is_sealed = true;
    Evaluation& evaluation = trace.evaluation.emplace();
    evaluation.status = status;
    evaluation.environment.hardware = "a CPU";
    evaluation.timestamp = "2026-11-21T12:00:00";
    Details& details = evaluation.kbench.emplace();
    details.trust = "audit";
    details.rule = "kbench";
    return evaluation;
  }

  Evaluation& add_passed(const std::string& definition, const std::string& uuid,
                         const std::string& solution, double median_ns) {
    Evaluation& evaluation = add(definition, uuid, solution);
    evaluation.performance = Performance{median_ns * 1e-6, 1e-3, 1000 / median_ns};
    Timing& timing = evaluation.kbench->timing.emplace();
    timing.median_ns = median_ns;
    timing.interval_ns = {median_ns * 0.999, median_ns * 1.001};
    timing.samples_ns = samples_around(median_ns);
    timing.reference_median_ns = 1000;
    timing.reference_interval_ns = {999, 1001};
    timing.reference_samples_ns = samples_around(1000);
    SpeedupRecord& speedup = timing.speedup.emplace();
    speedup.ratio = 1000 / median_ns;
    speedup.interval = {990 / median_ns, 1010 / median_ns};
    return evaluation;
  }

  Results select(const ResultFilter& filter = {}) const {
    std::vector<const Trace*> pointers;
    for (const Trace& trace : traces) pointers.push_back(&trace);
    return select_results(pointers, filter);
  }

  std::vector<Board> boards(const LeaderboardRule& rule = {}) const {
    const auto author_of = [](std::string_view solution) {
      return solution.substr(0, solution.find('_'));
    };
    return leaderboard(select().results, author_of, rule);
  }
};

std::vector<double> surely(const Standing& standing) {
  std::vector<double> shares;
  for (const Interval& fast : standing.fast) shares.push_back(fast.low);
  return shares;
}

TEST(Leaderboard, IsOfSpeedupsAgainstTheReference) {
  Records records;
  for (const char* uuid : {"w1", "w2"}) {
    records.add_passed("gemm", uuid, "a_gemm", 500);
    records.add_passed("gemm", uuid, "b_gemm", uuid[1] == '1' ? 250 : 2000);
  }
  const auto boards = records.boards();
  ASSERT_EQ(boards.size(), 1U);
  EXPECT_EQ(boards[0].definition, "gemm");
  EXPECT_EQ(boards[0].hardware, "a CPU");
  ASSERT_EQ(boards[0].standings.size(), 2U);
  const Standing& a = boards[0].standings[0];
  const Standing& b = boards[0].standings[1];
  EXPECT_EQ(a.name, "a_gemm");
  EXPECT_EQ(a.author, "a");
  EXPECT_EQ(a.rank, 1U);
  EXPECT_NEAR(std::exp(a.speedup->value), 2, 1e-9);
  ASSERT_TRUE(a.speedup->interval);
  EXPECT_LT(a.speedup->interval->low, a.speedup->value);
  EXPECT_EQ(surely(a), (std::vector<double>{1, 1, 0}));  // 1.98 to 2.02 is not surely 2
  EXPECT_EQ(a.fast[2].high, 1);
  EXPECT_EQ(a.wins, 0.5);
  EXPECT_EQ(b.rank, 2U);
  EXPECT_NEAR(std::exp(b.speedup->value), std::sqrt(2.0), 1e-9);
  EXPECT_EQ(surely(b), (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST(Leaderboard, CountsFailuresAsFailures) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 900);
  records.add_passed("gemm", "w2", "a_gemm", 900);
  records.add_passed("gemm", "w1", "b_gemm", 100);
  records.add("gemm", "w2", "b_gemm", Status::incorrect_numerical);
  const auto standings = records.boards()[0].standings;
  EXPECT_EQ(standings[0].name, "a_gemm");
  EXPECT_EQ(standings[1].name, "b_gemm");
  EXPECT_EQ(standings[1].passed, 1U);
  EXPECT_EQ(standings[1].fast[2].low, 0.5);
  EXPECT_EQ(standings[1].wins, 0.5);
}

TEST(Leaderboard, MarksWhoTriedLess) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add_passed("gemm", "w2", "a_gemm", 500);
  records.add_passed("gemm", "w1", "b_gemm", 400);
  const auto standings = records.boards()[0].standings;
  EXPECT_EQ(standings[0].name, "b_gemm");
  EXPECT_EQ(standings[0].tried, 1U);
  EXPECT_EQ(standings[0].workloads, 2U);
}

TEST(Leaderboard, MarksAuthorsWhoTriedLess) {
  Records records;
  for (const char* const definition : {"gemm", "norm"})
    records.add_passed(definition, "w1", std::string("a_") + definition, 500);
  records.add_passed("gemm", "w1", "b_gemm", 400);
  const auto standings = records.boards({.by = RankBy::author})[0].standings;
  EXPECT_EQ(standings[0].name, "b");
  EXPECT_EQ(standings[0].definitions, 1U);
  EXPECT_EQ(standings[0].definitions_of, 2U);
  EXPECT_EQ(standings[0].tried, 1U);
  EXPECT_EQ(standings[0].workloads, 2U);
  EXPECT_EQ(standings[1].definitions, 2U);
}

TEST(Leaderboard, GivesOneRankToWhatNoiseDoesNotTellApart) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add_passed("gemm", "w1", "b_gemm", 500.2);
  records.add_passed("gemm", "w1", "c_gemm", 510);
  const auto standings = records.boards()[0].standings;
  EXPECT_EQ(standings[0].rank, 1U);
  EXPECT_EQ(standings[1].rank, 1U);
  EXPECT_EQ(standings[2].rank, 3U);
  EXPECT_EQ(standings[1].wins, 1);  // a_gemm is not known to be faster
  EXPECT_EQ(standings[2].wins, 0);
}

TEST(Leaderboard, OfABaselineTakesItsTimesOnTheSameMachine) {
  Records records;
  records.add_passed("gemm", "w1", "base_gemm", 800).kbench->basis.emplace().machine = "m1";
  records.add_passed("gemm", "w1", "base_gemm", 400).kbench->basis.emplace().machine = "m2";
  records.add_passed("gemm", "w1", "a_gemm", 400).kbench->basis.emplace().machine = "m1";
  const auto standings = records.boards({.baseline = "base"})[0].standings;  // names the author
  EXPECT_EQ(standings[0].name, "a_gemm");
  EXPECT_NEAR(std::exp(standings[0].speedup->value), 2, 1e-9);
  EXPECT_EQ(standings[1].speedup->value, 0);
  EXPECT_EQ(standings[1].speedup->interval->high, 0);
}

TEST(Leaderboard, LeavesOutWhatTheBaselineDidNotPass) {
  Records records;
  records.add("gemm", "w1", "base_gemm", Status::runtime_error);
  records.add_passed("gemm", "w2", "base_gemm", 1000);
  records.add_passed("gemm", "w1", "a_gemm", 100);
  records.add_passed("gemm", "w2", "a_gemm", 500);
  const auto standings = records.boards({.baseline = "base_gemm"})[0].standings;
  EXPECT_NEAR(std::exp(standings[0].speedup->value), 2, 1e-9);
  EXPECT_EQ(standings[0].fast[0].low, 1);
}

TEST(Leaderboard, NeverMixesHardware) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add_passed("gemm", "w1", "b_gemm", 400).environment.hardware = "another CPU";
  const auto boards = records.boards();
  ASSERT_EQ(boards.size(), 2U);
  EXPECT_EQ(boards[0].standings[0].rank, 1U);
  EXPECT_EQ(boards[1].standings[0].rank, 1U);
}

TEST(Leaderboard, OfAuthorsHasTheirBestSolutionOfEachDefinition) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add_passed("gemm", "w1", "a_gemm2", 250);
  records.add_passed("norm", "w2", "a_norm", 1000);
  records.add_passed("gemm", "w1", "b_gemm", 1000);
  const auto boards = records.boards({.by = RankBy::author});
  ASSERT_EQ(boards.size(), 1U);
  const Standing& a = boards[0].standings[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.definitions, 2U);
  EXPECT_EQ(a.tried, 2U);
  EXPECT_NEAR(std::exp(a.speedup->value), 2, 1e-9);  // the mean of 4 and 1
  EXPECT_EQ(surely(a), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(a.fast[0].high, 1);  // 0.99 to 1.01
}

TEST(Leaderboard, OfDefinitionsNamesTheBestOfEach) {
  Records records;
  records.add_passed("norm", "w2", "a_norm", 1000);
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add_passed("gemm", "w1", "b_gemm", 400);
  const auto standings = records.boards({.by = RankBy::definition})[0].standings;
  ASSERT_EQ(standings.size(), 2U);
  EXPECT_EQ(standings[0].name, "gemm");
  EXPECT_EQ(standings[0].solution, "b_gemm");
  EXPECT_EQ(standings[1].name, "norm");
}

TEST(Results, TakeTheNewestOfEach) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add("gemm", "w1", "a_gemm", Status::timeout);
  const Results found = records.select();
  ASSERT_EQ(found.results.size(), 1U);
  EXPECT_FALSE(found.results[0].passed);
  EXPECT_EQ(found.left_out.older, 1U);
}

TEST(Results, LeaveOutWhatIsNotAskedFor) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add_passed("gemm", "w2", "a_gemm", 500).kbench->trust = "plain";
  records.add_passed("gemm", "w3", "a_gemm", 500).kbench->rule = "flashinfer-bench";
  records.add_passed("gemm", "w4", "a_gemm", 500).environment.hardware = "B";
  records.add_passed("gemm", "w5", "a_gemm", 500).timestamp = "2026-10-30T00:00:00";
  records.add_passed("gemm", "w6", "a_gemm", 500).kbench->settings.emplace().sanitize = "address";
  const Results found = records.select({.rule = "kbench", .hardware = "a ", .since = "2026-11"});
  EXPECT_EQ(found.results.size(), 1U);
  EXPECT_EQ(found.left_out.plain, 1U);
  EXPECT_EQ(found.left_out.rule, 1U);
  EXPECT_EQ(found.left_out.hardware, 1U);
  EXPECT_EQ(found.left_out.since, 1U);
  EXPECT_EQ(found.left_out.sanitized, 1U);
}

// A passed workload without a ratio is no failure, and no success either.
TEST(Leaderboard, CountsWhatIsNotDecided) {
  Records records;
  records.add_passed("gemm", "w1", "a_gemm", 500);
  records.add_passed("gemm", "w2", "a_gemm", 500).kbench->timing->speedup->ratio.reset();
  records.add_passed("gemm", "w1", "b_gemm", 250).kbench->timing->speedup.reset();
  const auto standings = records.boards()[0].standings;
  ASSERT_EQ(standings.size(), 2U);
  EXPECT_EQ(standings[1].name, "a_gemm");
  EXPECT_EQ(standings[1].undecided, 1U);
  EXPECT_EQ(standings[1].fast[0].low, 1);
  EXPECT_EQ(standings[0].undecided, 1U);
  EXPECT_FALSE(standings[0].speedup);
  EXPECT_TRUE(std::isnan(standings[0].fast[0].low));
}

// A record whose time is known has its place among the others without a speed-up, too.
TEST(Leaderboard, OrdersByTimesWhereThereIsNoSpeedup) {
  Records records;
  records.add_passed("gemm", "w1", "slow_gemm", 20'000'000);
  records.add_passed("gemm", "w1", "quick_gemm", 5'000).kbench->timing->speedup->ratio.reset();
  const auto standings = records.boards()[0].standings;
  ASSERT_EQ(standings.size(), 2U);
  EXPECT_EQ(standings[0].name, "quick_gemm");
  EXPECT_EQ(standings[0].rank, 1U);
  EXPECT_EQ(standings[1].rank, 2U);
}

// FlashInfer-Bench writes such records: no samples, no trust.
TEST(Results, ReadRecordsOfOthers) {
  Records records;
  Evaluation& evaluation = records.add_passed("gemm", "w1", "a_gemm", 500);
  evaluation.kbench.reset();
  EXPECT_EQ(records.select().left_out.plain, 1U);
  const Results found = records.select({.plain = true, .rule = "flashinfer-bench"});
  ASSERT_EQ(found.results.size(), 1U);
  ASSERT_TRUE(found.results[0].speedup);
  EXPECT_NEAR(std::exp(found.results[0].speedup->value), 2, 1e-9);
  EXPECT_FALSE(found.results[0].speedup->interval);
}

}  // namespace
}  // namespace kbench
