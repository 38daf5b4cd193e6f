#include "sandbox/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <system_error>
#include <thread>

#include "base/file.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;

ProcessPlan shell(const std::string& script) {
  return {{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, "", {}, -1, {}};
}

TEST(Process, CollectsWhatItPrintsAndItsExitCode) {
  const RunResult result = run_process(shell("echo out; echo err >&2; exit 7"), 10s, 1000);
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_TRUE(result.status.exited);
  EXPECT_EQ(result.status.code, 7);
  EXPECT_EQ(describe(result.status), "exited with 7");
}

TEST(Process, NamesTheSignal) {
  const RunResult result = run_process(shell("kill -SEGV $$"), 10s, 1000);
  EXPECT_EQ(describe(result.status), "ended by SIGSEGV (Segmentation fault)");
}

TEST(Process, IsStoppedWhenItsTimeIsOver) {
  const RunResult result = run_process(shell("sleep 60"), 50ms, 1000);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.status.code, SIGKILL);
}

TEST(Process, IsStoppedWhenItsCallerIsInterrupted) {
  // The first holds its output open, and the second does not.
  for (const char* const command : {"sleep 60", "exec sleep 60 >&- 2>&-"}) {
    std::atomic<bool> stop = false;
    const std::jthread interrupter([&stop] {
      std::this_thread::sleep_for(100ms);
      stop = true;
    });
    EXPECT_THROW(run_process(shell(command), 60s, 1000, &stop), Interrupted);
  }
}

TEST(Process, AFloodIsCountedAndCut) {
  const RunResult result = run_process(shell("head -c 1000000 /dev/zero"), 10s, 100);
  EXPECT_EQ(result.output.size(), 100U);
  EXPECT_EQ(result.output_bytes, 1000000U);
}

TEST(Process, HasTheEnvironmentItWasGivenAndNoOther) {
  ::setenv("KBENCH_SECRET", "x", 1);
  const RunResult result = run_process(shell("env"), 10s, 10000);
  EXPECT_EQ(result.output.find("KBENCH_SECRET"), std::string::npos);
  EXPECT_NE(result.output.find("PATH=/usr/bin:/bin"), std::string::npos);
}

TEST(Process, HasTheDescriptorsItWasGivenAndNoOther) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);  // inheritable on purpose
  const RunResult result = run_process(shell("exec ls /proc/self/fd"), 10s, 1000);
  EXPECT_EQ(result.output, "0\n1\n2\n3\n");  // 3 is the folder that ls reads
  ::close(ends[0]);
  ::close(ends[1]);
}

// A zombie has ended, though nobody has asked for its status yet.
bool is_running(pid_t pid) {
  const auto status = read_file_if_there("/proc/" + std::to_string(pid) + "/stat");
  return status && status->find(") Z ") == std::string::npos;
}

TEST(Process, WhatItLeavesBehindIsEnded) {
  // The grandchild holds the output open; run_process would wait for it until the time is over.
  const RunResult result = run_process(shell("sleep 60 & echo $!"), 2s, 1000);
  const pid_t grandchild = std::stoi(result.output);
  for (int i = 0; i < 1000 && is_running(grandchild); ++i) ::usleep(1000);
  EXPECT_FALSE(is_running(grandchild));
}

TEST(Process, LimitsTheSizeOfFiles) {
  ProcessPlan plan = shell("exec head -c 100000 /dev/zero > big");
  plan.directory = "/tmp";
  plan.limits.file_bytes = 4096;
  const RunResult result = run_process(plan, 10s, 1000);
  EXPECT_FALSE(result.status.exited && result.status.code == 0);
  ::unlink("/tmp/big");
}

TEST(Process, AProgramThatIsNotThereIsAnException) {
  EXPECT_THROW(ChildProcess({{"/no/such/program"}, {}, "", {}, -1, {}}), std::system_error);
}

}  // namespace
}  // namespace kbench
