// Starts in one box share some things, and others not.
#include "sandbox/forks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.hpp"
#include "sandbox/enter.hpp"
#include "sandbox/filter.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;

class ForksOf : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string& why = missing_for(Isolation::namespaces); !why.empty())
      GTEST_SKIP() << why;
  }

  // Makes a fork in which `body` runs; its exit code is what that returns.
  std::unique_ptr<ChildProcess> fork(const std::function<int()>& body, int output = 1) {
    const auto start = [&](int channel) {
      ++started_;
      ProcessPlan plan;
      plan.isolation = Isolation::namespaces;
      plan.forbid_fork = plan.forks = true;
      plan.directory = std::filesystem::temp_directory_path();
      plan.files.readable = {"/usr/lib"};
      plan.files.private_bytes = 1 << 20;
      plan.fds = {channel};
      Confinement confinement = confinement_of(plan, ::getpid());
      const Launched launched = launch(confinement, Parent::caller, [&] {
        close_report(1);
        fork_for_judge(leftovers_);
        ::_exit(run_elsewhere(body));
      });
      EXPECT_EQ(launched.error, 0) << launched.step;
      auto process = std::make_unique<ChildProcess>(launched.started);
      process_ = process.get();
      return process;
    };
    const int fds[] = {output, output};
    return forks_.fork(fds, {0}, start);
  }

  static int code(ChildProcess& child) {
    const auto status = child.wait(10s);
    return status && status->exited ? status->code : -1;
  }

  Forks forks_;
  ChildProcess* process_ = nullptr;  // the one that forks
  int started_ = 0;
  Leftovers leftovers_ = Leftovers::removed;
};

TEST_F(ForksOf, TheSecondNeedsNoOtherProcess) {
  const auto body = [] { return 3; };
  for (int i = 0; i < 3; ++i) {
    const auto child = fork(body);
    ASSERT_NE(child, nullptr);
    EXPECT_EQ(code(*child), 3);
  }
  EXPECT_EQ(started_, 1);
}

TEST_F(ForksOf, EachHasItsDescriptorsAndNoOthers) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd read_end(ends[0]), write_end(ends[1]);
  const auto child = fork(
      [] {
        const bool has_others = ::fcntl(first_passed_fd + 1, F_GETFD) >= 0;
        return ::write(first_passed_fd, "3", 1) == 1 && ::write(1, "1", 1) == 1 && !has_others ? 0
                                                                                               : 1;
      },
      write_end.get());
  EXPECT_EQ(code(*child), 0);
  char text[3] = {};
  EXPECT_EQ(::read(read_end.get(), text, 2), 2);
  EXPECT_STREQ(text, "31");
}

TEST_F(ForksOf, OneThatIsEndedLeavesTheOthers) {
  const auto body = [] { return ::pause(); };
  const auto first = fork(body), second = fork(body);
  EXPECT_EQ(describe(first->kill()), "ended by SIGKILL (Killed)");
  EXPECT_FALSE(second->wait(10ms));
  EXPECT_NE(fork(body), nullptr);
  EXPECT_EQ(started_, 1);
}

TEST_F(ForksOf, OneLivesOnWhereNoMoreAreWanted) {
  const auto child = fork([] { return ::pause(); });
  forks_ = {};
  EXPECT_FALSE(child->wait(20ms));
}

TEST_F(ForksOf, WhatOneLeavesInItsFolderIsGoneForTheNext) {
  const auto body = [] {
    if (std::filesystem::exists("left")) return 1;
    write_file("left/more", "text");
    return 0;
  };
  EXPECT_EQ(code(*fork(body)), 0);
  EXPECT_EQ(code(*fork(body)), 0);
}

TEST_F(ForksOf, WhatOneLeavesStaysWhereTheFolderIsAnothers) {
  leftovers_ = Leftovers::kept;
  const auto body = [] {
    if (std::filesystem::exists("left")) return 1;
    write_file("left", "text");
    return 0;
  };
  EXPECT_EQ(code(*fork(body)), 0);
  EXPECT_EQ(code(*fork(body)), 1);
}

TEST_F(ForksOf, StackHeapAndMappingsLieElsewhereInEach) {
  const Fd memory(::memfd_create("addresses", MFD_CLOEXEC));
  const auto body = [] {
    const int local = 0;
    const void* const places[] = {
        &local, ::sbrk(0), ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    return ::write(first_passed_fd, places, sizeof places) == sizeof places ? 0 : 1;
  };
  for (int i = 0; i < 2; ++i) ASSERT_EQ(code(*fork(body, memory.get())), 0);
  const void* places[6] = {};
  ASSERT_EQ(::pread(memory.get(), places, sizeof places, 0), static_cast<ssize_t>(sizeof places));
  for (int i = 0; i < 3; ++i) EXPECT_NE(places[i], places[i + 3]) << i;
}

TEST_F(ForksOf, OneCannotEndTheProcessThatForks) {
  const auto body = [] {
    if (!install(only_itself())) return 2;
    for (pid_t other = 1; other < 100; ++other)
      if (other != ::getpid() && ::kill(other, SIGKILL) == 0) return 1;
    return 0;
  };
  EXPECT_EQ(code(*fork(body)), 0);
  EXPECT_EQ(code(*fork(body)), 0);
  EXPECT_EQ(started_, 1);
}

// The kernel may end it, too, for want of memory.
TEST_F(ForksOf, WhereTheProcessThatForksHasEndedThereIsAnother) {
  const auto body = [] { return 0; };
  EXPECT_EQ(code(*fork(body)), 0);
  process_->kill();
  EXPECT_EQ(code(*fork(body)), 0);
  EXPECT_EQ(started_, 2);
}

}  // namespace
}  // namespace kbench
