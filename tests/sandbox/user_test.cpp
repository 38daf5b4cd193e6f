// Who is nobody's user, and what anybody may read.
#include <gtest/gtest.h>

#include "sandbox/box.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

TEST(SpareId, IsOneThatNoSystemGivesAway) {
  EXPECT_EQ(spare_id("         0          0 4294967295\n"), 1'879'100'000U);
  EXPECT_EQ(spare_id("0 1000 1\n1 100000 4000000000\n"), 1'879'100'000U);
}

TEST(SpareId, InASmallNamespaceIsTheHighest) {
  EXPECT_EQ(spare_id("0 1000 1\n1 100000 65536\n"), 65536U);
  EXPECT_EQ(spare_id("1 100000 65535\n0 1000 1\n"), 65535U);
}

TEST(SpareId, WhereThereIsRootAloneThereIsNone) {
  for (const char* map : {"", "0 1000 1\n", "garbage\n", "0 0 0\n"}) EXPECT_FALSE(spare_id(map));
}

TEST(Public, IsWhatAnybodyMayReadAndReach) {
  const TempFolder top;
  const fs::path file = top.path() / "folder" / "file";
  write_file(file, "");
  fs::permissions(top.path(), fs::perms(0755));
  const auto is_open = [&](int folder, int mode, bool above) {
    fs::permissions(file.parent_path(), static_cast<fs::perms>(folder));
    fs::permissions(file, static_cast<fs::perms>(mode));
    return is_public({{file, top.path() / "absent"}, {}}, above);
  };
  EXPECT_TRUE(is_open(0755, 0644, true));
  EXPECT_TRUE(is_open(0711, 0644, true));
  EXPECT_FALSE(is_open(0700, 0644, true));
  EXPECT_TRUE(is_open(0700, 0644, false));
  EXPECT_FALSE(is_open(0755, 0600, true));
  fs::permissions(file.parent_path(), fs::perms(0700));
  EXPECT_TRUE(is_public({{}, {file.parent_path()}}, true));
  fs::create_directory(file.parent_path() / "more");
  EXPECT_FALSE(is_public({{}, {file.parent_path() / "more"}}, true));
}

}  // namespace
}  // namespace kbench
