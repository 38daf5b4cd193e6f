#include "cluster/shard_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TEST(ShardFolder, OneAtATimeHoldsItAndAttemptsAreCounted) {
  TempFolder folder;
  EXPECT_FALSE(progress_of(folder.path()).state);
  {
    auto first = ShardLease::take(folder.path(), [](const auto&) { return false; });
    ASSERT_TRUE(first);
    EXPECT_EQ(first->attempt(), 0);
    std::optional<ShardState> holder;
    EXPECT_FALSE(ShardLease::take(folder.path(), [&](const auto& who) {
      holder = who;
      return false;
    }));
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->pid, ::getpid());
    EXPECT_TRUE(progress_of(folder.path()).is_held);
  }
  EXPECT_FALSE(progress_of(folder.path()).is_held);
  EXPECT_FALSE(progress_of(folder.path()).state->status);  // it went away
  auto second = ShardLease::take(folder.path(), [](const auto&) { return false; });
  ASSERT_TRUE(second);
  EXPECT_EQ(second->attempt(), 1);
  second->end(3);
  EXPECT_EQ(progress_of(folder.path()).state->status, 3);
}

TEST(ShardFolder, EnginesNumberWhatTheyStart) {
  const char* const names[] = {"KBENCH_SHARD", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
                               "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
  for (const char* const name : names) ::unsetenv(name);
  EXPECT_FALSE(shard_of_environment());
  for (int i = 4; i >= 0; --i) {  // the first ones come before those behind
    ::setenv(names[i], std::to_string(10 + i).c_str(), 1);
    EXPECT_EQ(shard_of_environment(), 10 + i) << names[i];
  }
  for (const char* const name : names) ::unsetenv(name);
  ::setenv("KBENCH_SHARD", "3rd", 1);
  EXPECT_FALSE(shard_of_environment());
  ::unsetenv("KBENCH_SHARD");
}

}  // namespace
}  // namespace kbench
