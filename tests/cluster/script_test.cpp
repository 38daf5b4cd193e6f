#include "cluster/script.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

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
