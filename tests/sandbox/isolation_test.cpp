// Protections of each level of isolation, and what it leaves a process.
#include "sandbox/isolation.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "sandbox/box.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "isolation-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class AtLevel : public testing::TestWithParam<Isolation> {
 protected:
  void SetUp() override {
    if (const std::string& why = missing_for(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }

  ProcessPlan shell(const std::string& script) const {
    ProcessPlan plan{{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, own_.path(), {}, -1, {}};
    plan.isolation = GetParam();
    plan.files.readable = system_programs();
    plan.files.private_bytes = 1 << 20;
    return plan;
  }
  std::string output(const ProcessPlan& plan) const { return run_process(plan, 10s, 10000).output; }

  Folder own_, other_;
};

TEST_P(AtLevel, AProgramRunsAndWritesToItsOwnFolder) {
  const RunResult result = run_process(shell("echo good > f && cat f && exit 3"), 10s, 1000);
  EXPECT_EQ(result.output, "good\n");
  EXPECT_EQ(describe(result.status), "exited with 3");
}

TEST_P(AtLevel, ASignalIsSeenAsItIs) {
  EXPECT_EQ(describe(run_process(shell("kill -SEGV $$"), 10s, 1000).status),
            "ended by SIGSEGV (Segmentation fault)");
}

TEST_P(AtLevel, WhatIsNotShownCannotBeRead) {
  write_file(other_.path() / "secret", "secret");
  const std::string path = (other_.path() / "secret").string();
  EXPECT_EQ(output(shell("cat " + path + " 2>/dev/null; ls / >/dev/null 2>&1; echo end")), "end\n");
  ProcessPlan plan = shell("cat " + path);
  plan.files.readable.push_back(other_.path());
  EXPECT_EQ(output(plan), "secret");
}

TEST_P(AtLevel, RootBecomesAUserThatOwnsNothing) {
  if (!spare_user()) GTEST_SKIP() << "this is not root";
  fs::permissions(other_.path(), fs::perms(0755));
  write_file(other_.path() / "secret", "secret");
  fs::permissions(other_.path() / "secret", fs::perms(0600));
  ProcessPlan plan = shell("cat " + (other_.path() / "secret").string() +
                           " 2>/dev/null; echo new > f && cat f; id -u; id -G");
  plan.files.readable.push_back(other_.path());
  const std::string id =
      GetParam() == Isolation::namespaces ? "65534" : std::to_string(*spare_user());
  EXPECT_EQ(output(plan), "new\n" + id + "\n" + id + "\n");
}

TEST_P(AtLevel, RootStaysWhereOthersCouldNotReadWhatIsNeeded) {
  ProcessPlan plan = shell("cat " + (other_.path() / "file").string());
  write_file(other_.path() / "file", "text");
  fs::permissions(other_.path(), fs::perms(0700));
  plan.files.readable.push_back(other_.path());
  EXPECT_EQ(output(plan), "text");
}

TEST_P(AtLevel, WhatIsShownCannotBeWritten) {
  write_file(other_.path() / "file", "old");
  ProcessPlan plan = shell("cd " + other_.path().string() +
                           "; echo new > file; echo new > more; mkdir d; rm file; mv file g");
  plan.files.readable.push_back(other_.path());
  output(plan);
  EXPECT_EQ(read_file(other_.path() / "file"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(other_.path()), fs::directory_iterator()), 1);
}

TEST_P(AtLevel, AWritableFolderIsWritten) {
  ProcessPlan plan = shell("echo new > " + (other_.path() / "file").string());
  plan.files.writable.push_back(other_.path());
  output(plan);
  EXPECT_EQ(read_file(other_.path() / "file"), "new\n");
}

TEST_P(AtLevel, LinksOnTheWayAreFollowed) {
  write_file(other_.path() / "file", "text");
  const fs::path link = own_.path().string() + "-link";
  fs::create_directory_symlink(other_.path(), link);
  ProcessPlan plan = shell("cat " + (link / "file").string());
  plan.files.readable.push_back(link);
  EXPECT_EQ(output(plan), "text");
  fs::remove(link);
}

TEST_P(AtLevel, DevicesAreTheHarmlessOnes) {
  EXPECT_EQ(output(shell("head -c 3 /dev/zero | wc -c; head -c 5 /dev/urandom | wc -c; echo x > "
                         "/dev/null && echo null; echo x 2>/dev/null > /dev/shm/x || echo no")),
            "3\n5\nnull\nno\n");
}

TEST_P(AtLevel, SocketsAreThoseOfThisMachineWhereTheyAreAskedFor) {
  const auto refusals = [this](const std::string& family, bool local_sockets) {
    ProcessPlan plan = shell("python3 -c 'import socket; socket.socket(socket." + family +
                             ")' 2>&1 | grep -c PermissionError");
    plan.local_sockets = local_sockets;
    return output(plan);
  };
  EXPECT_EQ(refusals("AF_UNIX", false), "1\n");
  EXPECT_EQ(refusals("AF_UNIX", true), "0\n");
  EXPECT_EQ(refusals("AF_INET", true), "1\n");
}

TEST_P(AtLevel, WhatTheKernelSaysOfAProcessCanBeShown) {
  const std::string script = "grep -c State: /proc/self/status 2>/dev/null; echo end";
  EXPECT_EQ(output(shell(script)), "end\n");
  ProcessPlan plan = shell(script);
  plan.files.readable.emplace_back("/proc");
  EXPECT_EQ(output(plan), "1\nend\n");
}

TEST_P(AtLevel, OthersCannotBeSignalled) {
  const std::string script = "kill -0 " + std::to_string(::getpid()) + " 2>/dev/null || echo no";
  EXPECT_EQ(output(shell(script)), "no\n");
}

TEST_P(AtLevel, WhatItLeavesBehindIsEnded) {
  const auto begin = std::chrono::steady_clock::now();
  run_process(shell("sleep 60 & echo"), 500ms, 1000);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

bool is_running(const std::string& pid) {
  const auto status = read_file_if_there("/proc/" + pid + "/stat");
  return status && status->find(") Z ") == std::string::npos;
}

TEST_P(AtLevel, ItEndsWithWhoStartedIt) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const ProcessPlan plan = shell("sleep 60");
  const pid_t judge = ::fork();
  if (judge == 0) {
    const ChildProcess child(plan);
    const std::string pid = std::to_string(child.pid());
    if (::write(ends[1], pid.data(), pid.size()) < 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  char text[16] = {};
  ASSERT_GT(::read(ends[0], text, sizeof text - 1), 0);
  ::waitpid(judge, nullptr, 0);
  for (int i = 0; i < 10000 && is_running(text); ++i) ::usleep(1000);
  EXPECT_FALSE(is_running(text));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(AtLevel, AProgramThatIsNotThereIsAnException) {
  ProcessPlan plan = shell("");
  plan.argv = {"/no/such/program"};
  EXPECT_THROW(ChildProcess{plan}, std::system_error);
}

TEST_P(AtLevel, AFolderThatIsNotThereIsAnException) {
  ProcessPlan plan = shell("");
  plan.directory = "/no/such/folder";
  EXPECT_THROW(ChildProcess{plan}, std::system_error);
}

INSTANTIATE_TEST_SUITE_P(Levels, AtLevel,
                         testing::Values(Isolation::namespaces, Isolation::landlock),
                         [](const auto& info) { return std::string(letter(info.param)); });

TEST(Isolation, LevelsHaveLetters) {
  EXPECT_EQ(isolation_of("B"), Isolation::landlock);
  EXPECT_EQ(isolation_of("D"), std::nullopt);
  EXPECT_EQ(letter(Isolation::limits), "C");
  EXPECT_TRUE(is_at_least(Isolation::namespaces, Isolation::landlock));
  EXPECT_FALSE(is_at_least(Isolation::limits, Isolation::landlock));
}

// Runs the tests of both levels once more in another process; returns what it printed.
std::string run_levels(const std::string& before) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::string command = before + " " + self + " --gtest_filter=Levels/*";
  return run_process({{"/bin/sh", "-c", command}, {"PATH=/usr/bin:/bin"}, "/tmp", {}, -1, {}}, 60s,
                     1 << 20)
      .output;
}

TEST(Isolation, LevelBIsThereWhereNamespacesAreForbidden) {
  if (!missing_for(Isolation::namespaces).empty() || !missing_for(Isolation::landlock).empty())
    GTEST_SKIP() << "levels are missing here";
  const std::string none = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
  const std::string said = run_levels("unshare -Ur /bin/sh -c '" + none + "' sh");
  EXPECT_NE(said.find("namespaces: No space left on device"), std::string::npos) << said;
  EXPECT_NE(said.find("[       OK ] Levels/AtLevel.WhatIsNotShownCannotBeRead/B"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("[  FAILED  ]"), std::string::npos) << said;
}

TEST(Isolation, APlainUserHasWhatRootHas) {
  if (::geteuid() != 0) GTEST_SKIP() << "this is a plain user";
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const std::string nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
  const RunResult seen = run_process({{"/bin/sh", "-c", nobody + " test -x " + self.string()},
                                      {"PATH=/usr/bin:/bin"},
                                      "",
                                      {},
                                      -1,
                                      {}},
                                     10s, 1000);
  if (seen.status.code != 0) GTEST_SKIP() << "nobody cannot see this program";
  const std::string said = run_levels(nobody);
  EXPECT_NE(said.find("[  PASSED  ] "), std::string::npos) << said;
  EXPECT_EQ(said.find("[  FAILED  ]"), std::string::npos) << said;
  if (missing_for(Isolation::landlock).empty()) {
    EXPECT_NE(said.find("[       OK ] Levels/AtLevel.WhatIsShownCannotBeWritten/B"),
              std::string::npos)
        << said;
  }
}

TEST(Isolation, TheBestHasNothingMissing) { EXPECT_EQ(missing_for(best_isolation()), ""); }

TEST(SettingsForNamespaces, AreThoseThatForbidThem) {
  const Folder sysctls;
  write_file(sysctls.path() / "kernel/unprivileged_userns_clone", "0\n");
  write_file(sysctls.path() / "kernel/apparmor_restrict_unprivileged_userns", "0\n");
  write_file(sysctls.path() / "user/max_user_namespaces", "0\n");
  const std::vector<std::string> wanted = {"kernel.unprivileged_userns_clone=1",
                                           "user.max_user_namespaces=10000"};
  EXPECT_EQ(settings_for_namespaces(sysctls.path()), wanted);
  EXPECT_TRUE(settings_for_namespaces("/nonexistent").empty());
}

}  // namespace
}  // namespace kbench
