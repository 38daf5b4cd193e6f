// Limits and ends of groups of processes.
#include "sandbox/cgroup.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// A place that no other program makes groups in: other tests run at the same time.
class OwnPlace {
 public:
  OwnPlace() : place_(*cgroups_here()) {
    for (fs::path& folder : place_.folders) {
      folder /= "kbench-test-" + std::to_string(::getpid());
      fs::create_directory(folder);
      if (place_.version == 2) write_file(folder / "cgroup.subtree_control", "+memory +pids");
    }
  }
  ~OwnPlace() {
    for (const fs::path& folder : place_.folders) {
      for (const fs::path& group : groups_in(folder)) ::rmdir(group.c_str());
      ::rmdir(folder.c_str());
    }
  }
  OwnPlace(const OwnPlace&) = delete;
  OwnPlace& operator=(const OwnPlace&) = delete;

  const CgroupPlace& operator*() const { return place_; }
  const CgroupPlace* operator->() const { return &place_; }
  std::size_t groups_left() const {
    std::size_t count = 0;
    for (const fs::path& folder : place_.folders) count += groups_in(folder).size();
    return count;
  }

 private:
  CgroupPlace place_;

  static std::vector<fs::path> groups_in(const fs::path& folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("kbench-group-"))
        out.push_back(entry.path());
    }
    return out;
  }
};

class InAGroup : public testing::Test {
 protected:
  void SetUp() override {
    if (cgroups_here() == nullptr) GTEST_SKIP() << why_no_cgroups();
  }

  static ProcessPlan shell(const std::string& script, const CgroupLimits& limits) {
    ProcessPlan plan{{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, "/", {}, -1, {}};
    plan.group = take_cgroup(limits);
    return plan;
  }
};

TEST_F(InAGroup, AProgramRuns) {
  const RunResult result = run_process(shell("cat /proc/self/cgroup", {}), 10s, 10000);
  EXPECT_EQ(describe(result.status), "exited with 0");
  EXPECT_NE(result.output.find("kbench-group-"), std::string::npos) << result.output;
  EXPECT_FALSE(result.out_of_memory);
}

TEST_F(InAGroup, MemoryThatNoResourceLimitCountsIsLimited) {
  // tail keeps its input, which has no line break, whole in its memory.
  const auto hog = shell("head -c 200000000 /dev/zero | tail -n 1 | wc -c", {64 << 20, 0});
  EXPECT_TRUE(run_process(hog, 30s, 1000).out_of_memory);
  const auto modest = shell("head -c 2000000 /dev/zero | tail -n 1 | wc -c", {64 << 20, 0});
  const RunResult after = run_process(modest, 30s, 1000);
  EXPECT_FALSE(after.out_of_memory);
  EXPECT_EQ(after.output, "2000000\n");
}

TEST_F(InAGroup, ProcessesAreLimitedForRootToo) {
  const char* const script =
      "for i in 1 2 3 4 5 6 7 8; do sleep 60 > /dev/null 2>&1 & done; echo all";
  EXPECT_EQ(run_process(shell(script, {0, 4}), 10s, 1000).output.find("all"), std::string::npos);
  EXPECT_EQ(run_process(shell("echo all", {0, 4}), 10s, 1000).output, "all\n");
}

TEST_F(InAGroup, WhatLeftItsProcessGroupIsEndedWithIt) {
  const RunResult result =
      run_process(shell("setsid sh -c 'exec sleep 600 >/dev/null 2>&1' & echo $!", {}), 10s, 1000);
  const auto left = read_file_if_there("/proc/" + std::string(trim(result.output)) + "/stat");
  EXPECT_TRUE(!left || left->find(") Z ") != std::string::npos) << *left;  // its parent may be slow
}

TEST_F(InAGroup, ItsFolderGoesWithTheObject) {
  const OwnPlace place;
  {
    const Cgroup group(*place);
    EXPECT_EQ(place.groups_left(), place->folders.size());
  }
  EXPECT_EQ(place.groups_left(), 0u);
}

TEST_F(InAGroup, OfAJudgeThatIsKilledNothingIsLeft) {
  const OwnPlace place;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t judge = ::fork();
  if (judge == 0) {
    Cgroup group(*place);
    const pid_t member = group.fork([] {
      for (;;) ::pause();
    });
    if (::write(ends[1], &member, sizeof member) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t member = 0;
  ASSERT_EQ(::read(ends[0], &member, sizeof member), static_cast<ssize_t>(sizeof member));
  ASSERT_GT(member, 0);
  ::kill(judge, SIGKILL);
  ::waitpid(judge, nullptr, 0);
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (place.groups_left() != 0 && std::chrono::steady_clock::now() < deadline) ::usleep(1000);
  EXPECT_EQ(place.groups_left(), 0u);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(InAGroup, OnlyAbandonedGroupsAreClearedAway) {
  const OwnPlace place;
  const Cgroup held(*place);
  for (const fs::path& folder : place->folders)
    fs::create_directory(folder / "kbench-group-dead01");
  remove_abandoned_cgroups(*place);
  EXPECT_EQ(place.groups_left(), place->folders.size());
}

}  // namespace
}  // namespace kbench
