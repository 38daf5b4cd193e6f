#include "judge/stage.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

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

}  // namespace
}  // namespace kbench
