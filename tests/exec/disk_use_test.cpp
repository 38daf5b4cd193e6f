// What counts as use of the disk.
#include "exec/disk_use.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

TEST(DiskUse, CountsFilesAndFoldersAtAnyDepth) {
  const TempFolder top;
  EXPECT_FALSE(takes_more(top.path(), 0));
  write_file(top.path() / "a" / "b" / "file", std::string(100'000, 'x'));
  EXPECT_TRUE(takes_more(top.path(), 90'000));
  EXPECT_FALSE(takes_more(top.path(), 1'000'000));
}

TEST(DiskUse, CountsEmptyFilesToo) {
  const TempFolder top;
  for (int i = 0; i < 10; ++i) write_file(top.path() / std::to_string(i), "");
  EXPECT_TRUE(takes_more(top.path(), 9 * 4096));
  EXPECT_FALSE(takes_more(top.path(), 10 * 4096));
}

TEST(DiskUse, WhatCannotBeLookedAtIsTooMuch) {
  if (::geteuid() == 0) GTEST_SKIP() << "root looks at everything";
  const TempFolder top;
  fs::create_directory(top.path() / "closed");
  fs::permissions(top.path() / "closed", fs::perms::none);
  EXPECT_TRUE(takes_more(top.path(), 1'000'000));
  fs::permissions(top.path() / "closed", fs::perms::owner_all);
}

TEST(DiskUse, AFolderThatIsNotThereTakesNothing) { EXPECT_FALSE(takes_more("/no/such/folder", 0)); }

}  // namespace
}  // namespace kbench
