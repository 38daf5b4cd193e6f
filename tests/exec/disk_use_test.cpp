// What counts as use of the disk.
#include "exec/disk_use.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

TEST(DiskUse, CountsFilesAndFoldersAtAnyDepth) {
  const TempFolder top;
  EXPECT_FALSE(takes_more(top.path(), ::getpid(), 100'000, 0));
  write_file(top.path() / "a" / "b" / "file", std::string(100'000, 'x'));
  EXPECT_TRUE(takes_more(top.path(), ::getpid(), 100'000, 90'000));
  EXPECT_FALSE(takes_more(top.path(), ::getpid(), 100'000, 1'000'000));
}

TEST(DiskUse, CountsEmptyFilesToo) {
  const TempFolder top;
  for (int i = 0; i < 10; ++i) write_file(top.path() / std::to_string(i), "");
  EXPECT_TRUE(takes_more(top.path(), ::getpid(), 100'000, 9 * 4096));
  EXPECT_FALSE(takes_more(top.path(), ::getpid(), 100'000, 10 * 4096));
}

TEST(DiskUse, WhatCannotBeLookedAtIsTooMuch) {
  if (::geteuid() == 0) GTEST_SKIP() << "root looks at everything";
  const TempFolder top;
  fs::create_directory(top.path() / "closed");
  fs::permissions(top.path() / "closed", fs::perms::none);
  EXPECT_TRUE(takes_more(top.path(), ::getpid(), 100'000, 1'000'000));
  fs::permissions(top.path() / "closed", fs::perms::owner_all);
}

TEST(DiskUse, CountsWhatWasRemovedAndIsOpenOrMapped) {
  const TempFolder top;
  write_file(top.path() / "open", std::string(100'000, 'x'));
  write_file(top.path() / "mapped", std::string(100'000, 'x'));
  const Fd open(::open((top.path() / "open").c_str(), O_RDONLY));
  Fd closed(::open((top.path() / "mapped").c_str(), O_RDONLY));
  void* const mapped = ::mmap(nullptr, 100'000, PROT_READ, MAP_SHARED, closed.get(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  closed.reset();
  for (const char* name : {"open", "mapped"}) fs::remove(top.path() / name);
  EXPECT_TRUE(takes_more(top.path(), ::getpid(), 100'000, 190'000));
  EXPECT_FALSE(takes_more(top.path(), ::getpid(), 100'000, 250'000));
  ::munmap(mapped, 100'000);
  EXPECT_FALSE(takes_more(top.path(), ::getpid(), 100'000, 110'000));
}

TEST(DiskUse, AFolderThatIsNotThereTakesNothing) {
  EXPECT_FALSE(takes_more("/no/such/folder", ::getpid(), 100'000, 0));
}

}  // namespace
}  // namespace kbench
