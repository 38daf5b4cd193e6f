#include "base/work_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/file.hpp"
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

namespace fs = std::filesystem;

// Exits 0 where a user that is not root has removed `path`: root removes everything anyway.
int removed_by_a_user(const fs::path& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(2);
    fs::create_directories(path / "closed" / "within");
    write_file(path / "closed" / "within" / "file", "text");
    fs::permissions(path / "closed" / "within", fs::perms::none);
    fs::permissions(path / "closed", fs::perms::owner_write | fs::perms::owner_exec);
    ::_exit(remove_tree(path) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(RemoveTree, RemovesFoldersThatWereClosed) {
  const TempFolder top;
  fs::permissions(top.path(), fs::perms::all);
  EXPECT_EQ(removed_by_a_user(top.path() / "tree"), 0);
  EXPECT_FALSE(fs::exists(top.path() / "tree"));
}

TEST(RemoveTree, FollowsNoLink) {
  const TempFolder top;
  write_file(top.path() / "kept" / "file", "text");
  fs::create_directory(top.path() / "tree");
  fs::create_directory_symlink(top.path() / "kept", top.path() / "tree" / "link");
  EXPECT_FALSE(remove_tree(top.path() / "tree"));
  EXPECT_FALSE(fs::exists(top.path() / "tree"));
  EXPECT_TRUE(fs::exists(top.path() / "kept" / "file"));
}

// The tree is deeper than paths may be long and than files may be open.
TEST(RemoveTree, RemovesFoldersHoweverDeepTheyNest) {
  const TempFolder top;
  const fs::path tree = top.path() / "tree", before = fs::current_path();
  fs::create_directory(tree);
  fs::current_path(tree);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(::mkdir("d", 0700), 0);
    ASSERT_EQ(::chdir("d"), 0);
    if (i % 1000 == 0) write_file("moved0", "text");
  }
  fs::current_path(before);
  EXPECT_FALSE(remove_tree(tree));
  EXPECT_FALSE(fs::exists(tree));
}

TEST(RemoveTree, WhatIsNotThereIsRemoved) { EXPECT_FALSE(remove_tree("/no/such/folder")); }

}  // namespace

}  // namespace kbench
