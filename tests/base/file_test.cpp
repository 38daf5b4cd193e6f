#include "base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool ends_with_brace(std::string_view line) { return line.ends_with('}'); }

class AppendLine : public ::testing::Test {
 protected:
  // Returns what a file that held `before` holds after a line was appended.
  std::string after(const std::string& before) const {
    write_file(file(), before);
    append_line(file(), "{new}", &ends_with_brace);
    return read_file(file());
  }
  fs::path file() const { return folder_ / "lines.jsonl"; }

  const TempFolder own_;
  const fs::path& folder_ = own_.path();
};

TEST_F(AppendLine, MakesFoldersAndFile) {
  const fs::path deep = folder_ / "a" / "b" / "lines.jsonl";
  append_line(deep, "{1}", &ends_with_brace);
  append_line(deep, "{2}", &ends_with_brace);
  EXPECT_EQ(read_file(deep), "{1}\n{2}\n");
}

TEST_F(AppendLine, CutsOffWhatAWriterThatDiedLeft) {
  EXPECT_EQ(after("{1}\n{2"), "{1}\n{new}\n");
  EXPECT_EQ(after("{1"), "{new}\n");
  EXPECT_EQ(after("{1}\n" + std::string(200000, 'x')), "{1}\n{new}\n");
}

TEST_F(AppendLine, KeepsALastLineThatIsWhole) {
  EXPECT_EQ(after("{1}\n{2}"), "{1}\n{2}\n{new}\n");
  EXPECT_EQ(after("{1}"), "{1}\n{new}\n");
}

// A limit on the file's size stands for a full disk.
TEST_F(AppendLine, WriteThatFailsLeavesTheFileAsItWas) {
  write_file(file(), "{1}\n");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{6, 6};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      append_line(file(), "{longer}", &ends_with_brace);
    } catch (const std::system_error&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(read_file(file()), "{1}\n");
}

// They would take a record elsewhere, or swallow it, in somebody else's trace set.
TEST_F(AppendLine, RefusesLinksAndPipes) {
  write_file(folder_ / "elsewhere", "kept");
  fs::create_symlink(folder_ / "elsewhere", file());
  EXPECT_THROW(append_line(file(), "{1}", &ends_with_brace), std::runtime_error);
  EXPECT_EQ(read_file(folder_ / "elsewhere"), "kept");
  fs::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  const Fd reader(::open(file().c_str(), O_RDONLY | O_NONBLOCK));
  EXPECT_THROW(append_line(file(), "{1}", &ends_with_brace), std::runtime_error);
}

TEST_F(AppendLine, RefusesAFileThatHasAnotherName) {
  write_file(folder_ / "elsewhere", "{1}\n");
  fs::create_hard_link(folder_ / "elsewhere", file());
  EXPECT_THROW(append_line(file(), "{2}", &ends_with_brace), std::runtime_error);
  EXPECT_EQ(read_file(folder_ / "elsewhere"), "{1}\n");
}

// A rename would, as root, replace the device itself.
TEST(WriteFile, LeavesLinksAndDevicesWhatTheyAre) {
  const TempFolder folder;
  const std::filesystem::path link = folder.path() / "link", target = folder.path() / "target";
  write_file(target, "old");
  std::filesystem::create_symlink(target, link);
  write_file(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(target), "new");
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Fd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  write_file(pipe, "text");
  char text[5] = {};
  EXPECT_EQ(::read(reader.get(), text, 4), 4);
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(WriteFile, WhatEndsInTheMiddleLeavesTheOldContentAndNothingElse) {
  const TempFolder folder;
  const auto file = folder.path() / "text";
  write_file(file, "old");
  const auto give = [](const TakeText& take) {
    take("new");
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(write_file(file, give), std::runtime_error);
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  write_file(file, [](const TakeText& take) {
    take("a");
    take("b");
  });
  EXPECT_EQ(read_file(file), "ab");
}

}  // namespace
}  // namespace kbench
