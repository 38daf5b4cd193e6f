#include "report/github.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

Trace failure(const std::string& uuid, Status status, const std::string& cause,
              const std::string& log = "") {
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = uuid;
  trace.solution = "s";
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.status = status;
  evaluation.log = log;
  evaluation.kbench.emplace().cause = cause;
  return trace;
}

std::string file_of(std::string_view solution, std::string_view source) {
  if (solution != "s") return "";
  if (source.empty()) return "solutions/s.json";
  return source == "kernel.cpp" ? "solutions/kernel.cpp" : "";
}

TEST(Github, EscapesWhatACommandWouldEndAt) {
  EXPECT_EQ(write_github({.annotations = {{"error", "a:b,c", "100 %\nof: it,", "x,y.json", 3, 7},
                                          {"warning", "t", "m"},
                                          {"error", "t", "\033[2Jm\r"}}},
                         {}),
            "::error title=a%3Ab%2Cc,file=x%2Cy.json,line=3,col=7::100 %25%0Aof: it,\n"
            "::warning title=t::m\n"
            "::error title=t::\\x1b[2Jm%0D\n");
}

TEST(Github, OneAnnotationForAllWorkloadsOfOneFailure) {
  const std::vector<Trace> traces = {failure("u", Status::incorrect_numerical, "off\nand more"),
                                     failure("v", Status::incorrect_numerical, "off\nelsewhere"),
                                     failure("w", Status::timeout, "slow")};
  const auto found = github_annotations(traces, &file_of);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].title, "INCORRECT_NUMERICAL: s");
  EXPECT_EQ(found[0].message, "d: off (2 workloads)");
  EXPECT_EQ(found[0].file, "solutions/s.json");
  EXPECT_EQ(found[1].message, "d: slow (w)");
}

TEST(Github, ACompilersErrorStandsAtItsLine) {
  const std::vector<Trace> traces = {failure(
      "u", Status::compile_error, "the compiler refuses it",
      "In file included from kernel.cpp:1:\nkernel.cpp:12:5: error: 'x' was not declared\n")};
  const auto found = github_annotations(traces, &file_of);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].file, "solutions/kernel.cpp");
  EXPECT_EQ(found[0].line, 12);
  EXPECT_EQ(found[0].column, 5);
  EXPECT_EQ(found[0].message, "d: 'x' was not declared (u)");
}

TEST(Github, ASourceInTheJsonIsNamedInTheMessage) {
  const std::vector<Trace> traces = {failure("u", Status::compile_error, "no",
                                             "other.cu(3): error: identifier \"y\" is undefined")};
  const auto found = github_annotations(traces, &file_of);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].file, "solutions/s.json");
  EXPECT_EQ(found[0].line, 0);
  EXPECT_EQ(found[0].message, "d: other.cu:3: identifier \"y\" is undefined (u)");
}

TEST(Github, AKernelOfALibraryStandsAtItsLine) {
  Trace trace = failure("u", Status::incorrect_numerical, "off");
  trace.workload.axes["rows"] = 16;
  KernelRecord& kernel = trace.evaluation->kbench->kernel.emplace();
  kernel.file = "solutions/mylib/kernels.yaml";
  kernel.line = 15;
  EXPECT_EQ(write_github({.traces = std::span(&trace, 1)}, {}),
            "::error title=INCORRECT_NUMERICAL%3A s,file=solutions/mylib/kernels.yaml,line=15::d: "
            "off (rows=16)\n");
}

TEST(Github, WhoKnowsNoFilesStillSaysWhatFailed) {
  const std::vector<Trace> traces = {failure("u", Status::timeout, "slow")};
  EXPECT_EQ(write_github({.traces = traces}, {}), "::error title=TIMEOUT%3A s::d: slow (u)\n");
}

TEST(Github, ASummaryHasItsLimit) {
  std::vector<Trace> traces;
  for (int i = 0; i < 20000; ++i)
    traces.push_back(failure("u" + std::to_string(i), Status::timeout, std::string(80, 'x')));
  const std::string summary = github_summary(traces);
  EXPECT_LT(summary.size(), std::size_t{1} << 20);
  EXPECT_NE(summary.find("cut off"), std::string::npos);
  EXPECT_EQ(summary.find("<details>"), std::string::npos);
  traces.resize(2);
  EXPECT_NE(github_summary(traces).find("<details>"), std::string::npos);
}

}  // namespace
}  // namespace kbench
