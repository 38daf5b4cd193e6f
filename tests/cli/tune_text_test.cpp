// Texts of tuning, default numbers of ranks, and samples of workloads.
#include "cli/tune/tune_text.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/derive/shard_plan.hpp"
#include "cli/run/run_plan.hpp"
#include "exec/cores.hpp"
#include "problem/rank_protocol.hpp"

namespace kbench {
namespace {

TuneText failed(const std::string& cause) {
  TuneText text;
  text.definition = "scale";
  text.solution = "blocked";
  text.workload = "w1";
  text.parameters = {"BLOCK"};
  TuneRow& row = text.report.rows.emplace_back();
  row.configuration["BLOCK"] = std::int64_t{64};
  row.status = Status::compile_error;
  row.cause = cause;
  return text;
}

TEST(TuneText, OnlyTheTableShortensACause) {
  const std::string cause = "BUILD_ERROR: " + std::string(500, 'x') + " the end";
  const TuneText text = failed(cause);
  const Document document = tune_document({&text, 1});
  EXPECT_EQ(write_table(document, {}),
            "scale · blocked · w1 ()\n"
            "BLOCK  status         time  samples  cause\n"
            "64     COMPILE_ERROR  -           0  BUILD_ERROR: " +
                std::string(76, 'x') + "…\n");
  EXPECT_EQ(nlohmann::json::parse(write_json(document, {}))[0]["rows"][0]["cause"], cause);
  EXPECT_NE(tune_html({&text, 1}).find("<td>" + cause), std::string::npos);
}

// T13: the default number of ranks is that of all cores, not of a rank's share.
TEST(ShardPlan, T13WithoutANumberThereAreAsManyRanksAsCores) {
  const auto cores = static_cast<std::int64_t>(usable_cores().size());
  ASSERT_GE(cores, 1);
  EXPECT_EQ(default_ranks(nullptr), std::min<std::int64_t>(cores, worker::max_ranks));
  DeclaredSharding declared;
  EXPECT_EQ(default_ranks(&declared), default_ranks(nullptr));
  declared.ranks = 3;
  EXPECT_EQ(default_ranks(&declared), 3);
}

using Keys = std::set<WorkloadKey>;

// Workloads "0", "1", … of each definition.
std::vector<WorkloadKey> workloads(const std::vector<std::pair<std::string, int>>& definitions) {
  std::vector<WorkloadKey> keys;
  for (const auto& [name, count] : definitions)
    for (int i = 0; i < count; ++i) keys.emplace_back(name, std::to_string(i));
  return keys;
}

std::map<std::string, int> counts(const Keys& keys) {
  std::map<std::string, int> counts;
  for (const auto& [definition, uuid] : keys) ++counts[definition];
  return counts;
}

TEST(Sample, HasEachDefinitionBeforeOneTwice) {
  const auto all = workloads({{"a", 5}, {"b", 1}, {"c", 9}});
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(counts(sample(all, 3)), (Counts{{"a", 1}, {"b", 1}, {"c", 1}}));
  EXPECT_EQ(counts(sample(all, 5)), (Counts{{"a", 2}, {"b", 1}, {"c", 2}}));
  EXPECT_EQ(counts(sample(all, 12)), (Counts{{"a", 5}, {"b", 1}, {"c", 6}}));
}

TEST(Sample, LiesFarApart) {
  EXPECT_EQ(sample(workloads({{"a", 9}}), 3), (Keys{{"a", "0"}, {"a", "8"}, {"a", "4"}}));
  const auto many = workloads({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
  EXPECT_EQ(sample(many, 2), (Keys{{"a", "0"}, {"c", "0"}}));
}

TEST(Sample, OfALargerLimitHasTheSmallerOnes) {
  const auto all = workloads({{"a", 7}, {"b", 3}, {"c", 20}});
  Keys last;
  for (std::size_t limit = 1; limit <= all.size() + 1; ++limit) {
    const Keys taken = sample(all, limit);
    EXPECT_EQ(taken.size(), std::min(limit, all.size()));
    EXPECT_TRUE(std::includes(taken.begin(), taken.end(), last.begin(), last.end())) << limit;
    last = taken;
  }
}

TEST(Sample, CountsAWorkloadOfSeveralLinesOnce) {
  EXPECT_EQ(sample({{"a", "0"}, {"a", "0"}, {"a", "1"}}, 2), (Keys{{"a", "0"}, {"a", "1"}}));
  EXPECT_TRUE(sample({}, 2).empty());
}

TEST(Sample, LeavesItsJobsAndSaysHowMuchTheyAre) {
  Definition a, b;
  a.name = "a";
  b.name = "b";
  std::vector<Stored<Trace>> lines(3);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].record.workload.uuid = std::to_string(i);
  std::vector<std::vector<Job>> jobs = {{{&a, &lines[0], {}}, {&a, &lines[1], {}}},
                                        {{&b, &lines[2], {}}}};
  EXPECT_EQ(take_sample(jobs, 1), "the sample has 1 of 3 workloads, and 1 of 2 definitions\n");
  ASSERT_EQ(jobs[0].size(), 1U);
  EXPECT_EQ(jobs[0][0].workload, &lines[0]);
  EXPECT_TRUE(jobs[1].empty());
}

}  // namespace

}  // namespace kbench
