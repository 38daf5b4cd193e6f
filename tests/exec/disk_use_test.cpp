// Use of the disk: files that count as it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/file.hpp"
#include "exec/waiting.hpp"
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

TEST(DiskUse, FoldersThatNestBeyondALookAreTooMuch) {
  const TempFolder top;
  fs::path deep = top.path();
  for (int i = 0; i < 60; ++i) deep /= "d";
  fs::create_directories(deep);
  EXPECT_FALSE(takes_more(top.path(), ::getpid(), 100'000, 1'000'000));
  fs::create_directories(deep / "d" / "d" / "d" / "d" / "d");
  EXPECT_TRUE(takes_more(top.path(), ::getpid(), 100'000, 1'000'000));
}

// The first thread has ended; another holds a file that it has removed.
TEST(DiskUse, LooksAtTheThreadsThatAreLeft) {
  const TempFolder top;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::thread([&] {
      write_file(top.path() / "file", std::string(100'000, 'x'));
      const int fd = ::open((top.path() / "file").c_str(), O_RDONLY);
      ::unlink((top.path() / "file").c_str());
      ::usleep(20'000);
      if (fd < 0 || ::write(ready[1], "x", 1) != 1) ::_exit(1);
      ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(takes_more(top.path(), child, 100'000, 90'000));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
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
