#include "cluster/shard_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file.hpp"
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
  EXPECT_FALSE(progress_of(folder.path()).state->status);  // its holder went away
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
  EXPECT_FALSE(number_of_engine());
  for (int i = 4; i >= 0; --i) {  // the first ones come before those behind
    ::setenv(names[i], std::to_string(10 + i).c_str(), 1);
    const auto found = number_of_engine();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->variable, names[i]);
    EXPECT_EQ(found->text, std::to_string(10 + i));
  }
  for (const char* const name : names) ::unsetenv(name);
}

TEST(ShardFolder, WhoLosesTheNameOfItsStateHoldsNothing) {
  const auto nobody_waits = [](const auto&) { return false; };
  for (const bool is_replaced : {false, true}) {
    TempFolder folder;
    auto first = ShardLease::take(folder.path(), nobody_waits);
    ASSERT_TRUE(first);
    EXPECT_NO_THROW(first->check());
    std::filesystem::remove(folder.path() / "state.json");
    if (is_replaced) write_file(folder.path() / "state.json", "{}");
    EXPECT_THROW(first->check(), std::runtime_error);
    auto second = ShardLease::take(folder.path(), nobody_waits);
    ASSERT_TRUE(second);
    EXPECT_NO_THROW(second->check());
    EXPECT_THROW(first->check(), std::runtime_error);
  }
}

// Another file has taken the name of the one it waits for: it takes that one.
TEST(ShardFolder, WhoWaitsTakesTheStateThatIsInPlace) {
  TempFolder folder;
  auto first = ShardLease::take(folder.path(), [](const auto&) { return false; });
  auto second = ShardLease::take(folder.path(), [&](const auto&) {
    std::filesystem::remove(folder.path() / "state.json");
    return true;
  });
  ASSERT_TRUE(second);
  EXPECT_NO_THROW(second->check());
}

TEST(ShardFolder, APipeIsNoState) {
  TempFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "state.json").c_str(), 0644), 0);
  EXPECT_NE(progress_of(folder.path()).fault, "");
  EXPECT_THROW(ShardLease::take(folder.path(), [](const auto&) { return false; }),
               std::runtime_error);
}

}  // namespace
}  // namespace kbench
