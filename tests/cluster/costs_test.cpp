#include "cluster/costs.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "cluster/script.hpp"
#include "cluster/shard_trace.hpp"
#include "schema/record_signature.hpp"
#include "schema/trace_set.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TEST(Costs, WhatIsNotKnownIsLikeTheRestOfItsDefinition) {
  JudgingCosts costs;
  EXPECT_EQ(costs.pair_ms("d", "w", "s"), 1000);
  EXPECT_EQ(costs.reference_ms("d", "w"), 0);
  costs.note("d", "w", "s", {10, 100});
  costs.note("d", "w", "t", {30, 100});
  costs.note("e", "x", "s", {80, 300});
  EXPECT_EQ(costs.pair_ms("d", "w", "t"), 30);
  EXPECT_EQ(costs.pair_ms("d", "w2", "t"), 20);
  EXPECT_EQ(costs.pair_ms("f", "w", "s"), 40);
  EXPECT_EQ(costs.reference_ms("d", "w"), 100);
  EXPECT_EQ(costs.reference_ms("d", "w2"), 100);
  EXPECT_EQ(costs.reference_ms("f", "w"), 200);
}

TEST(Costs, RecordsThatSayNothingOrAreInDoubtCountForNothing) {
  TempFolder folder;
  const auto file = folder.path() / "traces" / "t.jsonl";
  for (const char* const solution : {"s", "t", "edited"}) {
    Trace trace = shard_trace("w", solution, 0);
    Details& details = *trace.evaluation->kbench;
    if (trace.solution != "t") details.cost_ms = 12.5;
    details.reference_cost_ms = 3;
    details.digest = record_digest(trace);
    if (trace.solution == "edited") details.cost_ms = 1e9;
    append_trace(file, trace);
  }
  write_file(file, read_file(file) + R"({"definition":"d","torn)");
  JudgingCosts costs;
  EXPECT_EQ(costs.note_records(folder.path().string()), 1u);
  for (const char* const solution : {"s", "t", "edited"})
    EXPECT_EQ(costs.pair_ms("d", "w", solution), 12.5);
  EXPECT_EQ(costs.reference_ms("d", "w"), 3);
}

TEST(Nodes, OneThatIsOffItsFellowsIsNamed) {
  const auto speeds =
      beside_each_other({{"a", {100, 101, 500}}, {"b", {100, 100, 99}}, {"c", {107, 108, 109}}});
  ASSERT_EQ(speeds.size(), 3u);
  EXPECT_EQ(speeds[0].median, 101);
  EXPECT_FALSE(speeds[0].is_off);
  EXPECT_FALSE(speeds[1].is_off);
  EXPECT_TRUE(speeds[2].is_off);
  EXPECT_NEAR(speeds[2].deviation, 108.0 / 101 - 1, 1e-6);
}

TEST(Nodes, OneAloneIsBesideNobody) { EXPECT_TRUE(beside_each_other({{"a", {1}}}).empty()); }

TEST(Nodes, RecordsWithoutTimesSayNothing) {
  NodeSpeeds speeds;
  Evaluation evaluation;
  speeds.note("a", evaluation);
  evaluation.kbench.emplace().timing.emplace().control_ns = {{1, 2}};
  speeds.note("a", evaluation);
  evaluation.kbench->timing->gpu.emplace().clock_mhz = {1980, 1980};
  speeds.note("a", evaluation);
  EXPECT_EQ(speeds.control_ns.at("a").size(), 4u);
  EXPECT_EQ(speeds.clock_mhz.at("a").size(), 2u);
}

ShardScript small_script() {
  ShardScript script;
  script.program = "/opt/kbench/bin/kbench";
  script.out = "/shared/a run";
  script.name = "kbench-01234567";
  script.shards = {0, 1, 2, 5};
  return script;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Script, NumbersAreRanges) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({4}), "4");
  EXPECT_EQ(ranges_text({7, 1, 0, 2, 9, 8}), "0-2,7-9");
}

TEST(Script, AnArrayHasATaskForEachShard) {
  const std::string text = slurm_script(small_script());
  EXPECT_TRUE(has(text, "#SBATCH --array=0-2,5\n")) << text;
  EXPECT_TRUE(has(text, "#SBATCH --requeue\n"));
  EXPECT_TRUE(has(text, "--plan '/shared/a run/plan.jsonl' --shard \"$SLURM_ARRAY_TASK_ID\""));
  EXPECT_FALSE(has(text, "gres"));
  EXPECT_FALSE(has(text, "exclusive"));
}

TEST(Script, PathsAndOptionsAreQuoted) {
  ShardScript script = small_script();
  script.out = "/shared/a 50% run";
  script.options = {"--comment=two words"};
  const std::string text = slurm_script(script);
  EXPECT_TRUE(has(text, "#SBATCH --output='/shared/a 50%% run/shards/log-%a'\n")) << text;
  EXPECT_TRUE(has(text, "#SBATCH '--comment=two words'\n"));
}

TEST(Script, AGpuOrAWholeNodeIsAskedFor) {
  ShardScript script = small_script();
  script.gpu = "h100";
  script.exclude = "n2,n7";
  script.options = {"--partition=gpu"};
  EXPECT_TRUE(has(slurm_script(script), "#SBATCH --gres=gpu:h100:1\n"));
  EXPECT_TRUE(has(slurm_script(script), "#SBATCH --exclude=n2,n7\n"));
  EXPECT_TRUE(has(slurm_script(script), "#SBATCH --partition=gpu\n"));
  script.gpu = "h100:8";
  script.per_node = true;
  EXPECT_TRUE(has(slurm_script(script), "#SBATCH --exclusive\n#SBATCH --gres=gpu:h100:8\n"));
  EXPECT_FALSE(has(slurm_build_script(script), "gres"));
  EXPECT_TRUE(has(slurm_build_script(script), " build --plan "));
}

}  // namespace

}  // namespace kbench
