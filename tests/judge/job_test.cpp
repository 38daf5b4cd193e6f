#include "judge/job.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

Stored<Trace> workload_of(const std::string& definition, const std::string& uuid) {
  Stored<Trace> out;
  out.record.definition = definition;
  out.record.workload.uuid = uuid;
  out.path = "workloads/x.jsonl";
  return out;
}

TraceSet small_set() {
  TraceSet set;
  for (const char* name : {"gemm_a", "gemm_b", "norm"}) {
    Definition definition;
    definition.name = name;
    definition.op_type = std::string(name).substr(0, 4);
    definition.tags = {std::string("tag_") + name};
    set.definitions.push_back({definition, "d.json", 1});
    for (const char* author : {"x", "y"}) {
      Solution solution;
      solution.name = std::string(author) + "_" + name;
      solution.definition = name;
      solution.spec.entry_point = "k.cpp::run";
      set.solutions.push_back({solution, "s.json", 1});
    }
    set.workloads.push_back(workload_of(name, std::string(name) + "-1"));
    set.workloads.push_back(workload_of(name, std::string(name) + "-2"));
  }
  return set;
}

std::string describe(const std::vector<Job>& jobs) {
  std::string out;
  for (const Job& job : jobs) {
    out += job.workload->record.workload.uuid + ":";
    for (const Solution* solution : job.solutions) out += " " + solution->name;
    out += "\n";
  }
  return out;
}

std::string plan(const Selection& selection, std::string* message = nullptr) {
  static TraceSet set;
  set = small_set();
  Diagnostics problems;
  const std::string out = describe(plan_jobs(set, set.workloads, selection, problems));
  if (message != nullptr) *message = problems.empty() ? "" : problems.items().front().message;
  return out;
}

TEST(PlanJobs, SelectsEverythingByDefault) {
  static const TraceSet set = small_set();
  Diagnostics problems;
  EXPECT_EQ(count_evaluations(plan_jobs(set, set.workloads, {}, problems)), 12U);
}

TEST(PlanJobs, FiltersByEveryKindOfName) {
  EXPECT_EQ(plan({{"norm"}, {"x_norm"}, {}, {}, {}}), "norm-1: x_norm\nnorm-2: x_norm\n");
  EXPECT_EQ(plan({{}, {}, {"gemm_b-2"}, {}, {}}), "gemm_b-2: x_gemm_b y_gemm_b\n");
  EXPECT_EQ(plan({{}, {"x_norm"}, {}, {"norm"}, {}}), "norm-1: x_norm\nnorm-2: x_norm\n");
  EXPECT_EQ(plan({{}, {"y_gemm_a"}, {}, {}, {"tag_gemm_a"}}),
            "gemm_a-1: y_gemm_a\ngemm_a-2: y_gemm_a\n");
}

TEST(PlanJobs, TakesUniquePrefixesAndRefusesOthers) {
  EXPECT_EQ(plan({{"nor"}, {"x_n"}, {}, {}, {}}), "norm-1: x_norm\nnorm-2: x_norm\n");
  std::string message;
  EXPECT_EQ(plan({{"gemm"}, {}, {}, {}, {}}, &message), "");
  EXPECT_NE(message.find("ambiguous"), std::string::npos) << message;
  EXPECT_EQ(plan({{"soft"}, {}, {}, {}, {}}, &message), "");
  EXPECT_NE(message.find("soft"), std::string::npos) << message;
}

TEST(PlanJobs, APrefixNeedBeUniqueOnlyAmongTheChosen) {
  EXPECT_EQ(plan({{"norm"}, {"x_"}, {}, {}, {}}), "norm-1: x_norm\nnorm-2: x_norm\n");
  TraceSet set = small_set();
  set.workloads = {workload_of("gemm_a", "5a01"), workload_of("gemm_b", "5b01")};
  for (const Selection& selection :
       {Selection{{"gemm_b"}, {}, {"5"}, {}, {}}, Selection{{}, {}, {"5"}, {}, {"tag_gemm_b"}}}) {
    Diagnostics problems;
    EXPECT_EQ(describe(plan_jobs(set, set.workloads, selection, problems)),
              "5b01: x_gemm_b y_gemm_b\n");
    EXPECT_TRUE(problems.empty());
  }
  Diagnostics of_both;
  EXPECT_TRUE(plan_jobs(set, set.workloads, {{}, {}, {"5"}, {}, {}}, of_both).empty());
  ASSERT_EQ(of_both.errors(), 1U);
  EXPECT_EQ(of_both.items()[0].message, "workload \"5\" is ambiguous");
}

TEST(PlanJobs, ALineThatNamesASolutionIsJudgedWithThatOne) {
  static const TraceSet set = small_set();
  std::vector<Stored<Trace>> lines = {workload_of("norm", "norm-1")};
  lines[0].record.solution = "y_norm";
  Diagnostics problems;
  EXPECT_EQ(describe(plan_jobs(set, lines, {}, problems)), "norm-1: y_norm\n");
}

std::vector<std::string> messages(const Diagnostics& problems) {
  std::vector<std::string> out;
  for (const Diagnostic& problem : problems.items())
    out.push_back(fmt::format("{}: {}", level_name(problem.level), problem.message));
  return out;
}

using Messages = std::vector<std::string>;

TEST(PlanJobs, DefinitionsThatAreNotThereAreSaidOnce) {
  TraceSet set = small_set();
  set.root = "set";
  const std::vector<Stored<Trace>> lines = {workload_of("nrm", "u1"), workload_of("nrm", "u2")};
  set.solutions[0].record.definition = "nrm";
  Diagnostics problems;
  EXPECT_TRUE(plan_jobs(set, lines, {}, problems).empty());
  EXPECT_EQ(messages(problems),
            Messages{"error: no definition \"nrm\" in set: 2 workloads and 1 solution not judged"});
  EXPECT_EQ(problems.items()[0].hint, "did you mean \"norm\"?");
  EXPECT_EQ(problems.items()[0].where.file, "workloads/x.jsonl");
  Diagnostics others;
  plan_jobs(set, lines, {{"gemm_a"}, {}, {}, {}, {}}, others);
  EXPECT_TRUE(others.empty());  // nobody asked for them
}

TEST(PlanJobs, ADefinitionThatCannotBeReadIsSaidOnce) {
  TraceSet set = small_set();
  set.definitions.pop_back();
  set.broken_definitions = {"norm"};
  Diagnostics problems;
  EXPECT_EQ(count_evaluations(plan_jobs(set, set.workloads, {}, problems)), 8U);
  EXPECT_EQ(messages(problems), Messages{"warning: definition \"norm\" cannot be read: its 2 "
                                         "workloads and 2 solutions not judged"});
  Diagnostics asked;
  plan_jobs(set, set.workloads, {{"norm"}, {}, {}, {}, {}}, asked);
  EXPECT_EQ(messages(asked), Messages{"error: definition \"norm\" cannot be read"});
}

TEST(PlanJobs, SolutionsWithoutAFunctionAreRefused) {
  for (const char* entry : {"k.cpp::", "k.cpp:::run", "k.cpp::run()"}) {
    TraceSet set = small_set();
    set.solutions.back().record.spec.entry_point = entry;
    Diagnostics problems;
    EXPECT_EQ(count_evaluations(plan_jobs(set, set.workloads, {}, problems)), 10U);
    ASSERT_EQ(problems.errors(), 1U) << entry;
    EXPECT_TRUE(problems.items()[0].message.starts_with("solution \"y_norm\" cannot be called: "));
  }
}

TEST(PlanJobs, ConstraintsThatCannotBeCheckedAreSaidOnce) {
  TraceSet set = small_set();
  set.definitions.back().record.constraints = {"M > 0"};
  Diagnostics problems;
  plan_jobs(set, set.workloads, {}, problems);
  EXPECT_EQ(messages(problems),
            Messages{"warning: constraint \"M > 0\": \"M\" is no axis and no input"});
}

TEST(WithoutDone, LeavesOutWhatARecordStandsFor) {
  static const TraceSet set = small_set();
  Diagnostics problems;
  std::vector<Stored<Trace>> done = {workload_of("norm", "norm-1"), workload_of("norm", "norm-1")};
  for (Stored<Trace>& stored : done) {
    stored.record.solution = "x_norm";
    stored.record.evaluation = Evaluation{};
  }
  done[0].record.evaluation->log = "good";
  const auto only_good = [](const Evaluation& record, const Job&, const Solution&) {
    return record.log == "good";
  };
  const auto all = plan_jobs(set, set.workloads, {{"norm"}, {}, {}, {}, {}}, problems);
  const Remaining left = without_done(all, done, only_good);  // the good one counts, not the later
  EXPECT_EQ(describe(left.jobs), "norm-1: y_norm\nnorm-2: x_norm y_norm\n");
  ASSERT_EQ(left.done.size(), 1U);
  EXPECT_EQ(left.done[0].first->name, "x_norm");
  EXPECT_EQ(left.done[0].second->log, "good");
  done[0].record.evaluation->log = "";
  EXPECT_EQ(describe(without_done(all, done, only_good).jobs), describe(all));
}

}  // namespace
}  // namespace kbench
