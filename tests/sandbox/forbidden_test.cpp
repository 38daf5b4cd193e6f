// Containers that forbid what a level needs: kbench takes the next one, and says why.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/process.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

using Names = std::vector<std::string>;

const Names namespaces = {"unshare"};
const Names mounts = {"mount", "pivot_root", "open_tree", "move_mount", "mount_setattr"};
const Names landlock = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"};
const Names new_clone = {"clone3"};

Names together(std::initializer_list<Names> lists) {
  Names out;
  for (const Names& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

// A run of one shipped solution under such a filter.
class Forbidden : public testing::Test {
 protected:
  RunResult run(int error, const Names& calls, const Names& options) const {
    const std::string bin = KBENCH_BIN_DIR;
    ProcessPlan plan;
    plan.argv = {bin + "/forbid", std::to_string(error)};
    plan.argv.insert(plan.argv.end(), calls.begin(), calls.end());
    const Names command = {"--",
                           bin + "/kbench",
                           "run",
                           "--root",
                           KBENCH_SOURCE_DIR,
                           "-d",
                           "rmsnorm_h128",
                           "-s",
                           "plain_rmsnorm_h128",
                           "-w",
                           "0ea9d291",
                           "--budget",
                           "0.001",
                           "--no-save-results",
                           "--format",
                           "json"};
    plan.argv.insert(plan.argv.end(), command.begin(), command.end());
    plan.argv.insert(plan.argv.end(), options.begin(), options.end());
    plan.environment = {"PATH=/usr/bin:/bin", "HOME=" + home_.path().string(), "LC_ALL=C.UTF-8"};
    return run_process(plan, std::chrono::minutes(2), 100'000);
  }

  // Expects the level that it ran at, and what it said of that.
  void expect_level(Isolation level, int error, const Names& calls, const std::string& says) const {
    const RunResult result = run(error, calls, {});
    EXPECT_EQ(describe(result.status), "exited with 0") << result.output;
    const std::string record = "\"isolation\":\"" + std::string(letter(level)) + "\"";
    EXPECT_NE(result.output.find(record), std::string::npos) << result.output;
    EXPECT_NE(result.output.find(says), std::string::npos) << result.output;
  }

  void expect_refusal(const std::string& level, const Names& calls, const std::string& why) const {
    const RunResult result = run(EPERM, calls, {"--require-isolation", level});
    EXPECT_EQ(describe(result.status), "exited with 3");
    EXPECT_NE(result.output.find("cannot be held at isolation level " + level + ": " + why),
              std::string::npos)
        << result.output;
  }

  TempFolder home_;
};

Isolation without_namespaces() {
  return missing_for(Isolation::landlock).empty() ? Isolation::landlock : Isolation::limits;
}

TEST_F(Forbidden, WithoutNamespacesItIsTheNextLevel) {
  expect_level(without_namespaces(), EPERM, together({namespaces, mounts}), "");
  expect_level(without_namespaces(), ENOSYS, together({namespaces, mounts, new_clone}), "");
}

TEST_F(Forbidden, WithNamespacesAndWithoutMountsToo) {
  expect_level(without_namespaces(), EPERM, mounts, "");
}

TEST_F(Forbidden, WithoutLandlockItIsTheLastAndIsSaidLoudly) {
  for (const int error : {EPERM, ENOSYS})
    expect_level(Isolation::limits, error, together({namespaces, landlock}),
                 "no level B: this kernel has no Landlock, or it is off");
}

TEST_F(Forbidden, WhatIsRequiredAndNotThereJudgesNothing) {
  if (missing_for(Isolation::namespaces).empty())
    expect_refusal("A", namespaces, "namespaces: Operation not permitted");
  expect_refusal("B", landlock, "this kernel has no Landlock, or it is off");
}

}  // namespace
}  // namespace kbench
