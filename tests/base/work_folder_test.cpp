#include "base/work_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::size_t count(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WorkFolder, IsThereAsLongAsItsObject) {
  const TempFolder parent;
  fs::path path;
  {
    const WorkFolder folder(parent.path(), "x-");
    path = folder.path();
    EXPECT_TRUE(fs::is_directory(path));
    write_file(path / "a" / "b", "");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WorkFolder, OnlyWhatNobodyHoldsIsAbandoned) {
  const TempFolder parent;
  const WorkFolder held(parent.path(), "x-");
  write_file(parent.path() / "x-dead01" / "a" / "b", "");
  write_file(parent.path() / "x-longer-name", "");
  write_file(parent.path() / "y-dead01", "");
  remove_abandoned(parent.path(), "x-");
  EXPECT_TRUE(fs::exists(held.path()));
  EXPECT_FALSE(fs::exists(parent.path() / "x-dead01"));
  EXPECT_EQ(count(parent.path()), 3U);
}

TEST(WorkFolder, RootTakesBackWhatItGaveAway) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  const TempFolder parent;
  write_file(parent.path() / "x-given1" / "a", "");
  ASSERT_EQ(::chown((parent.path() / "x-given1").c_str(), 1879100000, 1879100000), 0);
  remove_abandoned(parent.path(), "x-");
  EXPECT_EQ(count(parent.path()), 0U);
}

TEST(WorkFolder, AProcessThatDiesLeavesOneThatTheNextRemoves) {
  const TempFolder parent;
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    const WorkFolder folder(parent.path(), "x-");
    ::_exit(0);
  }
  ::waitpid(pid, nullptr, 0);
  EXPECT_EQ(count(parent.path()), 1U);
  remove_abandoned(parent.path(), "x-");
  EXPECT_EQ(count(parent.path()), 0U);
}

TEST(WorkFolder, WhoeverClearsUpTakesNoFolderThatIsBeingMade) {
  const TempFolder parent;
  std::atomic<bool> stop{false};
  std::jthread clearing([&] {
    while (!stop) remove_abandoned(parent.path(), "x-");
  });
  for (int i = 0; i < 2000; ++i) {
    const WorkFolder folder(parent.path(), "x-");
    ASSERT_TRUE(fs::is_directory(folder.path())) << i;
  }
  stop = true;
}

}  // namespace
}  // namespace kbench
