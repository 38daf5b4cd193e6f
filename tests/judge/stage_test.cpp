// Candidates of tests/hostile that compute before their call, where that would pay: an audit's time
// of one is not much less than its twin's, which computes in its call.
#include "judge/stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "judge/equipment.hpp"
#include "judge/hostile.hpp"

namespace kbench {
namespace {

TEST(Stage, IsACompleteEvent) {
  const auto event = nlohmann::json::parse(
      trace_event({"time", "d", "u", "s", "kbench#d/s@0:0123456789abcdef"}, {1500, 4000, 7, 8}));
  EXPECT_EQ(event, nlohmann::json::parse(R"({"name": "time s", "cat": "time", "ph": "X",
      "ts": 1.5, "dur": 2.5, "pid": 7, "tid": 8, "args": {"label": "kbench#d/s@0:0123456789abcdef",
      "definition": "d", "workload": "u", "solution": "s"}})"));
  EXPECT_EQ(nlohmann::json::parse(trace_event({"reference", "d", "u"}, {}))["name"], "reference d");
}

TEST(Stage, NamesThatAreNoUtf8AreWrittenAllTheSame) {
  const std::string line = trace_event({"build", "d", "", "a\xff\nb"}, {});
  EXPECT_TRUE(nlohmann::json::accept(line));
  EXPECT_EQ(line.find('\n'), line.npos);
}

TEST(Stage, IsToldWhenItIsOver) {
  std::vector<std::string> told;
  const StageEvents events = {.over = [&](const Stage& stage, double begin_ns, double end_ns) {
    EXPECT_LE(begin_ns, end_ns);
    told.push_back(stage.name);
  }};
  {
    const StageSpan outer(events, {"judge"});
    const StageSpan inner(events, {"load"});
    EXPECT_TRUE(told.empty());
  }
  EXPECT_EQ(told, (std::vector<std::string>{"load", "judge"}));
}

TEST(Stage, IsToldWhenItBeginsAndIsTheSameOneAtItsEnd) {
  std::vector<const Stage*> begun, over;
  const StageEvents events = {[&](const Stage& stage) { begun.push_back(&stage); },
                              [&](const Stage& stage, double, double) { over.push_back(&stage); }};
  {
    const StageSpan outer(events, {"judge"});
    const StageSpan inner(events, {"judge"});
    EXPECT_EQ(begun.size(), 2U);
    EXPECT_TRUE(over.empty());
  }
  EXPECT_EQ(over, (std::vector<const Stage*>{begun.at(1), begun.at(0)}));
}

TEST(Stage, NobodyNeedListen) {
  const StageEvents none;
  const StageSpan span(none, {"judge"});
}

TEST(Stage, WhoCannotBeToldEndsNothing) {
  const StageEvents events = {
      [](const Stage&) { throw std::runtime_error("full"); },
      [](const Stage&, double, double) { throw std::runtime_error("full"); }};
  EXPECT_NO_THROW(StageSpan(events, {"judge"}));
}

TEST(HeaderVersion, IsOfThreeNumbers) {
  const char* header = "#define A_MAJOR 1\n/* x */\n#define A_MINOR 12\n#define A_PATCH 3\n";
  EXPECT_EQ(header_version(header, "A"), "1.12.3");
  EXPECT_EQ(header_version(header, "B"), "");
  EXPECT_EQ(header_version("#define A_MAJOR 1\n", "A"), "");
}

// Audits the largest workload of `definition`, in one run.
std::map<std::string, Trace> audited(const std::string& definition,
                                     const std::vector<std::string>& solutions) {
  TraceSet set = hostile_set();
  std::erase_if(set.solutions, [&](const Stored<Solution>& solution) {
    return std::find(solutions.begin(), solutions.end(), solution.record.name) == solutions.end();
  });
  std::erase_if(set.workloads, [&](const Stored<Trace>& workload) {
    return workload.record.definition != definition;
  });
  const auto largest = std::max_element(
      set.workloads.begin(), set.workloads.end(),
      [](const auto& one, const auto& other) { return size_of(one) < size_of(other); });
  JudgeOptions options;
  options.audit.emplace().sets = 16;
  options.threads = 1;
  return judge(set, {*largest}, options);
}

std::vector<std::string> with_twins() {
  std::vector<std::string> names;
  for (const auto& [name, row] : hostile_expectations().items()) {
    if (row["audit"].is_object() && row["audit"].contains("twin")) names.push_back(name);
  }
  return names;
}

class ForgedTime : public testing::TestWithParam<std::string> {};

// A thief of a core makes both more alike by what he takes: of those times the least counts.
TEST_P(ForgedTime, IsNotMuchLessThanItsTwins) {
  const nlohmann::json& all = hostile_expectations();
  const nlohmann::json& row = all[GetParam()];
  const std::string solution = row["solution"];
  const std::string twin = all[row["audit"]["twin"].get<std::string>()]["solution"];
  const auto traces = audited(row["definition"], {solution, twin});
  const auto least = [&](const std::string& name) {
    const Evaluation& evaluation = *traces.at(name).evaluation;
    EXPECT_EQ(evaluation.status, Status::passed) << evaluation.log;
    if (!evaluation.kbench->timing) return 0.0;
    const std::vector<double>& samples = evaluation.kbench->timing->samples_ns;
    return *std::min_element(samples.begin(), samples.end());
  };
  EXPECT_GE(least(solution), least(twin) / 2);
}

INSTANTIATE_TEST_SUITE_P(All, ForgedTime, testing::ValuesIn(with_twins()),
                         [](const auto& info) { return info.param; });

}  // namespace

}  // namespace kbench
