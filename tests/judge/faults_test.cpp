// Candidates that die, hang or take too much, and after each of them an honest one, in one run: its
// verdict is right, and nothing is left.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/work_folder.hpp"
#include "judge/judge.hpp"
#include "schema/read.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Names the solutions of tests/hostile, whose expect.json says what each must come to.
const std::vector<std::string>& faults() {
  static const std::vector<std::string> all = {"segfault",
                                               "null_write",
                                               "bus_error",
                                               "division_trap",
                                               "illegal_instruction",
                                               "abort",
                                               "uncaught_exception",
                                               "frees_twice",
                                               "throws_in_constructor",
                                               "endless_loop",
                                               "endless_loop_in_constructor",
                                               "hangs_later",
                                               "deadlock",
                                               "sleeps",
                                               "ignores_signals",
                                               "stops_itself",
                                               "memory_bomb",
                                               "fork_bomb",
                                               "fork_by_int80",
                                               "thread_bomb",
                                               "stack_overflow",
                                               "huge_file",
                                               "many_files",
                                               "stdout_flood",
                                               "swallows_segfault",
                                               "exit_zero",
                                               "exit_in_constructor",
                                               "exits_in_third_call",
                                               "signals_others",
                                               "scribbles_control",
                                               "shrinks_memory",
                                               "missing_symbol",
                                               "undefined_symbol",
                                               "out_of_bounds",
                                               "burning_thread"};
  return all;
}

Solution solution_of(const std::string& name) {
  const fs::path file = fs::path(KBENCH_SOURCE_DIR) / "tests" / "hostile" / name / (name + ".json");
  Diagnostics problems;
  auto record = read_text<Solution>({name, read_file(file)}, {false, file.parent_path()}, problems);
  if (!record) throw std::runtime_error(problems.items().front().message);
  return std::move(*record);
}

// Temporary files go below it while this lives.
class OwnTemporary {
 public:
  OwnTemporary() : folder_(fs::temp_directory_path(), "kbench-test-") {
    ::setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~OwnTemporary() { ::unsetenv("TMPDIR"); }
  OwnTemporary(const OwnTemporary&) = delete;
  OwnTemporary& operator=(const OwnTemporary&) = delete;
  bool is_empty() const { return fs::is_empty(folder_.path()); }

 private:
  WorkFolder folder_;
};

// An orphan that has ended waits for this process to look at it, as it would for init.
bool has_ended(const std::string& pid) {
  std::string stat;
  std::getline(std::ifstream("/proc/" + pid + "/stat"), stat);
  const auto at = stat.rfind(") ");
  return at == stat.npos || stat.compare(at, 3, ") Z") == 0;
}

// Returns processes that this one and its children started: an orphan comes to it. Other tests of
// this program may have some, too.
std::set<std::string> children() {
  std::set<std::string> out;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (std::string pid; file >> pid;)
      if (!has_ended(pid)) out.insert(pid);
  }
  return out;
}

class Faults : public testing::TestWithParam<Isolation> {};

TEST_P(Faults, TheNextHonestCandidateIsJudgedRightAndNothingIsLeft) {
  if (const std::string& why = missing_for(GetParam()); !why.empty()) GTEST_SKIP() << why;
  ASSERT_GE(faults().size(), 25U);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::set<std::string> before = children();
  const OwnTemporary temporary;
  Diagnostics problems;
  TraceSet set = load_trace_set(KBENCH_SOURCE_DIR, {false, false, 0}, problems);
  std::erase_if(set.definitions,
                [](const auto& stored) { return stored.record.name != "rmsnorm_h128"; });
  set.solutions.clear();
  for (const std::string& name : faults()) {
    set.solutions.push_back({solution_of(name), name, 1});
    Solution honest = solution_of("right");
    honest.name = "after_" + name;
    set.solutions.push_back({std::move(honest), name, 1});
  }
  const auto workload =
      std::find_if(set.workloads.begin(), set.workloads.end(),
                   [](const auto& stored) { return stored.record.definition == "rmsnorm_h128"; });
  ASSERT_NE(workload, set.workloads.end());
  const auto traces = judge(set, {*workload}, {default_config(), GetParam()});
  const auto expected = nlohmann::json::parse(
      read_file(fs::path(KBENCH_SOURCE_DIR) / "tests" / "hostile" / "expect.json"));
  for (const std::string& name : faults()) {
    const Evaluation& fault = *traces.at("hostile_" + name).evaluation;
    const std::string status = expected.at(name).at("plain").at("status");
    if (status != "any") {
      EXPECT_EQ(status_name(fault.status), status) << name << "\n" << fault.log;
    }
    const Evaluation& honest = *traces.at("after_" + name).evaluation;
    EXPECT_EQ(honest.status, Status::passed) << "after " << name << ": " << honest.log;
  }
  // A killed program's forks get their signal when it has ended.
  for (int i = 0; i < 200 && children() != before; ++i) ::usleep(10'000);
  EXPECT_EQ(children(), before);
  EXPECT_TRUE(temporary.is_empty());
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::Values(Isolation::namespaces, Isolation::landlock),
                         [](const auto& info) { return std::string(letter(info.param)); });

}  // namespace
}  // namespace kbench
