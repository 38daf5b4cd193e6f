// Solutions of one workload that are timed in turn: the outcome of the others when one fails, and
// that nobody lives on what another one has left in the outputs they share.
#include "judge/contest.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "exec/cores.hpp"
#include "judge/judge.hpp"
#include "judge/records.hpp"

namespace kbench {
namespace {

using nlohmann::json;

// Source whose `before` runs in each call before the copy, `times` over.
Stored<Solution> copies_after(const std::string& name, int times, const std::string& before = "") {
  return solution(name, "copy", true,
                  "#include <cstdio>\n#include <cstdlib>\n#include \"kbench_ffi.h\"\n"
                  "void copy(kbench::Tensor x, kbench::Tensor y) {\n" +
                      before + "  for (int k = 0; k < " + std::to_string(times) +
                      "; ++k)\n    for (int64_t i = 0; i < x.numel(); ++i) "
                      "((volatile float*)y.data<float>())[i] = x.data<float>()[i];\n}\n"
                      "KBENCH_EXPORT(run, copy)\n");
}

struct Result {
  std::map<std::string, Trace> traces;
  std::optional<WorkloadContest> contest;
};

Result hold(const std::vector<Stored<Solution>>& solutions, double budget_ns = 3e9) {
  TraceSet set;
  set.definitions.push_back(definition("copy", tensor_y, "x + 0"));
  set.solutions = solutions;
  Result result;
  JudgeOptions how;
  how.contest.emplace().budget_ns = budget_ns;
  how.contest->compare.margin = 0.02;
  how.contested = [&](const Job&, const WorkloadContest& contest) { result.contest = contest; };
  result.traces = judge(set, {workload("copy")}, how);
  return result;
}

Status status(const Result& result, const std::string& name) {
  return result.traces.at(name).evaluation->status;
}

TEST(RunContest, FindsTheFasterOne) {
  const Result result = hold({copies_after("a", 8), copies_after("b", 2), copies_after("c", 4)});
  ASSERT_TRUE(result.contest && result.contest->contested);
  const Contest& contest = result.contest->contested->contest;
  EXPECT_EQ(contest.compare(0, 1).answer, Answer::faster);
  EXPECT_TRUE(contest.is_out(0));
  EXPECT_FALSE(contest.is_out(1));
  EXPECT_TRUE(contest.is_out(2));
  EXPECT_EQ(result.contest->contenders, (std::vector<std::size_t>{0, 1, 2}));
  for (const char* name : {"a", "b", "c"}) {
    const Evaluation& evaluation = *result.traces.at(name).evaluation;
    EXPECT_EQ(evaluation.status, Status::passed) << evaluation.log;
    EXPECT_EQ(evaluation.kbench->timing->stop, "decided");
    EXPECT_EQ(evaluation.kbench->timing->pinned, split_cores(1).is_pinned());
    EXPECT_FALSE(evaluation.kbench->timing->samples_ns.empty());
  }
}

TEST(RunContest, LeavesOutWhoIsWrong) {
  const Result result =
      hold({copies_after("a", 2), copies_after("wrong", 0), copies_after("c", 4)});
  EXPECT_EQ(status(result, "wrong"), Status::incorrect_numerical);
  ASSERT_TRUE(result.contest->contested);
  EXPECT_EQ(result.contest->contenders, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(result.contest->contested->contest.compare(0, 1).answer, Answer::slower);
}

TEST(RunContest, GoesOnWithoutWhoCrashesWhileItIsTimed) {
  const Result result =
      hold({copies_after("a", 2),
            copies_after("crash", 2, "  static int n = 0;\n  if (++n > 40) abort();\n"),
            copies_after("c", 4)});
  EXPECT_EQ(status(result, "crash"), Status::runtime_error);
  EXPECT_EQ(status(result, "a"), Status::passed);
  ASSERT_TRUE(result.contest->contested);
  EXPECT_EQ(result.contest->contenders, (std::vector<std::size_t>{0, 2}));
}

// All write to the same memory: one that stops writing would pass by what another one has left.
TEST(RunContest, NobodyLivesOnWhatAnotherHasLeft) {
  const Result result =
      hold({copies_after("a", 2),
            copies_after("lazy", 1, "  static int n = 0;\n  if (++n > 40) return;\n")});
  EXPECT_EQ(status(result, "lazy"), Status::incorrect_numerical);
  EXPECT_EQ(status(result, "a"), Status::passed);
  EXPECT_FALSE(result.contest->contested);
}

// A thread that wakes while the other one has the core they share takes of its time.
TEST(RunContest, NobodyWorksWhileAnotherIsTimed) {
  if (!split_cores(1).is_pinned()) GTEST_SKIP() << "no core of its own for a solution";
  const std::string thief =
      "  static int n = 0;\n  if (++n == 20) std::thread([] { for (;;) {\n"
      "    for (volatile int i = 0; i < 200000; i = i + 1) {}\n"
      "    std::this_thread::sleep_for(std::chrono::microseconds(20));\n  } }).detach();\n";
  Stored<Solution> solution = copies_after("thief", 2, thief);
  std::string& source = solution.record.sources.front().content;
  source = "#include <chrono>\n#include <thread>\n" + source;
  const Result result = hold({copies_after("a", 2), solution});
  ASSERT_EQ(status(result, "thief"), Status::runtime_error)
      << result.traces.at("a").evaluation->log;
  const std::string cause = *result.traces.at("thief").evaluation->kbench->cause;
  EXPECT_TRUE(cause.starts_with("BACKGROUND_WORK")) << cause;
  EXPECT_EQ(status(result, "a"), Status::passed);
}

TEST(RunContest, OfOneThatPassesIsItsTime) {
  const Result result = hold({copies_after("a", 2), copies_after("wrong", 0)});
  EXPECT_FALSE(result.contest->contested);
  const Evaluation& alone = *result.traces.at("a").evaluation;
  EXPECT_EQ(alone.status, Status::passed) << alone.log;
  EXPECT_NE(alone.kbench->timing->stop, "decided");
}

// The one that crashes leaves its input set where the other's inputs are.
TEST(RunContest, OfOneThatPassesIsItsTimeWhereverTheOtherFailed) {
  const Result result =
      hold({copies_after("a", 2), copies_after("crashes", 2, "  std::abort();\n")});
  EXPECT_EQ(status(result, "a"), Status::passed)
      << result.traces.at("a").evaluation->kbench->cause.value_or("");
  EXPECT_EQ(status(result, "crashes"), Status::runtime_error);
}

TEST(RunContest, IsUndecidedWhenTheBudgetIsSpent) {
  const Result result = hold({copies_after("a", 2), copies_after("b", 2)}, 1);
  ASSERT_TRUE(result.contest->contested);
  EXPECT_TRUE(result.contest->contested->is_budget_spent);
  EXPECT_EQ(result.contest->contested->contest.compare(0, 1).answer, Answer::undecided);
  EXPECT_EQ(result.traces.at("a").evaluation->kbench->timing->stop, "budget");
}

}  // namespace
}  // namespace kbench
