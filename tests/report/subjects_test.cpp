#include "report/subjects.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kbench {
namespace {

Trace trace_on(const std::string& hardware, const std::string& machine) {
  Trace trace;
  trace.definition = "d";
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.environment.hardware = hardware;
  if (!machine.empty()) evaluation.kbench.emplace().basis.emplace().machine = machine;
  return trace;
}

std::vector<std::string> subjects(const std::vector<Trace>& traces) {
  const Subjects subjects(traces);
  std::vector<std::string> names;
  for (const Trace& trace : traces) names.push_back(subjects.of(trace));
  return names;
}

using Names = std::vector<std::string>;

TEST(Subjects, AreDefinitionsOnOneMachine) {
  EXPECT_EQ(subjects({trace_on("a CPU", "m"), trace_on("a CPU", "m")}), (Names{"d", "d"}));
}

TEST(Subjects, NameTheMachinesWhereThereAreSeveral) {
  EXPECT_EQ(subjects({trace_on("a CPU", "m"), trace_on("a GPU", "n")}),
            (Names{"d on a CPU", "d on a GPU"}));
}

TEST(Subjects, TellTwoOfOneKindApart) {
  EXPECT_EQ(subjects({trace_on("a CPU", "0123456789"), trace_on("a CPU", "abcdef0123"),
                      trace_on("a CPU", "")}),
            (Names{"d on a CPU (012345)", "d on a CPU (abcdef)", "d on a CPU"}));
}

}  // namespace
}  // namespace kbench
