#include "report/results.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kbench {
namespace {

Trace result_trace(const std::string& solution, const std::string& machine, double median_ns,
                   const std::string& hardware = "a CPU") {
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = "u";
  trace.solution = solution;
  trace.is_sealed = true;
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.status = Status::passed;
  evaluation.environment.hardware = hardware;
  evaluation.timestamp = "2026-11-21T12:00:00";
  evaluation.performance = Performance{median_ns * 1e-6, 1e-3, 1000 / median_ns};
  evaluation.kbench.emplace().trust = "audit";
  evaluation.kbench->rule = "kbench";
  evaluation.kbench->basis.emplace().machine = machine;
  return trace;
}

std::vector<const Trace*> pointers(const std::vector<Trace>& traces) {
  std::vector<const Trace*> out;
  for (const Trace& trace : traces) out.push_back(&trace);
  return out;
}

TEST(Results, TheNewestOfEachStandsWhereTheFirstDid) {
  const std::vector<Trace> traces = {result_trace("s", "m", 1), result_trace("t", "m", 2),
                                     result_trace("s", "m", 3), result_trace("s", "n", 4),
                                     result_trace("s", "m", 5, "b CPU")};
  const auto newest = newest_of_each(pointers(traces));
  const std::vector<const Trace*> wanted = {&traces[2], &traces[1], &traces[3], &traces[4]};
  EXPECT_EQ(newest, wanted);
}

TEST(Results, AnOldRecordDoesNotComeBackWhereTheNewOneIsLeftOut) {
  std::vector<Trace> traces = {result_trace("s", "m", 1), result_trace("s", "m", 2)};
  traces[1].evaluation->timestamp = "2026-10-01T00:00:00";  // a clock that went wrong
  const Results found = select_results(pointers(traces), {.since = "2026-11"});
  ASSERT_EQ(found.results.size(), 1u);
  EXPECT_EQ(found.results[0].trace, &traces[0]);
  EXPECT_EQ(found.left_out.since, 1u);
  EXPECT_EQ(found.left_out.older, 0u);
}

TEST(Results, SaysWhyRecordsDoNotCount) {
  std::vector<Trace> traces = {
      result_trace("plain", "m", 1),          result_trace("rule", "m", 1),
      result_trace("other", "m", 1, "b CPU"), result_trace("sanitized", "m", 1),
      result_trace("edited", "m", 1),         result_trace("good", "m", 1),
      result_trace("vacuous", "m", 1)};
  traces[6].evaluation->kbench->non_discriminating = {"zeros", "mean"};
  traces[4].evaluation->kbench->digest = "of what it was";
  traces[4].is_sealed = false;
  traces[0].evaluation->kbench->trust = "plain";
  traces[1].evaluation->kbench->rule = "kernelbench";
  traces[3].evaluation->kbench->settings.emplace().sanitize = "address";
  const Results found = select_results(pointers(traces), {.rule = "kbench", .hardware = "a "});
  ASSERT_EQ(found.results.size(), 1u);
  EXPECT_EQ(found.results[0].solution, "good");
  EXPECT_EQ(found.left_out.plain, 1u);
  EXPECT_EQ(found.left_out.rule, 1u);
  EXPECT_EQ(found.left_out.hardware, 1u);
  EXPECT_EQ(found.left_out.sanitized, 1u);
  EXPECT_EQ(found.left_out.of(Doubt::edited), 1u);
  EXPECT_EQ(found.left_out.non_discriminating, 1u);
  EXPECT_EQ(passing_trivially(traces[6]), "zeros or mean");
  const ResultFilter all{.rule = "kbench", .hardware = "a ", .non_discriminating = true};
  EXPECT_EQ(select_results(pointers(traces), all).results.size(), 2u);
}

TEST(Results, ARecordOfAnotherProgramHasItsLatencyAlone) {
  std::vector<Trace> traces = {result_trace("s", "m", 500)};
  traces[0].evaluation->kbench.reset();
  const Results found = select_results(pointers(traces), {.plain = true});
  ASSERT_EQ(found.results.size(), 1u);
  ASSERT_TRUE(found.results[0].speed);
  EXPECT_NEAR(std::exp(found.results[0].speed->value), 500, 1e-6);
  EXPECT_FALSE(found.results[0].speed->interval);
}

TEST(Results, ARatioHoldsWhatBothIntervalsAllow) {
  const Estimate fast{2.0, Interval{1.9, 2.1}}, slow{3.0, Interval{2.8, 3.3}}, unknown{2.5, {}};
  EXPECT_NEAR((slow - fast).value, 1, 1e-12);
  EXPECT_NEAR((slow - fast).interval->low, 0.7, 1e-12);
  EXPECT_NEAR((slow - fast).interval->high, 1.4, 1e-12);
  EXPECT_FALSE((unknown - fast).interval);
}

// Records of this version say a latency of several starts; older ones a median.
TEST(Results, TheLatencyIsThatOfTheStarts) {
  Timing timing;
  timing.median_ns = 100;
  timing.interval_ns = {99, 101};
  EXPECT_EQ(recorded_latency(timing).value, 100);
  EXPECT_EQ(recorded_latency(timing).interval->high, 101);
  timing.latency_ns = 90;
  EXPECT_EQ(recorded_latency(timing).value, 90);
  EXPECT_FALSE(recorded_latency(timing).interval);
  timing.latency_interval_ns = {80, 110};
  EXPECT_EQ(recorded_latency(timing).interval->low, 80);
}

}  // namespace
}  // namespace kbench
