#include "report/gate.hpp"

#include <gtest/gtest.h>

#include <map>

#include "schema/record_digest.hpp"

namespace kbench {
namespace {

Trace record(const std::string& uuid, const std::string& solution, double ns,
             Status status = Status::passed) {
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = uuid;
  trace.solution = solution;
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.status = status;
  Details& details = evaluation.kbench.emplace();
  details.trust = "plain";
  details.basis.emplace().machine = "m";
  Timing& timing = details.timing.emplace();
  timing.median_ns = timing.p10_ns = ns;
  timing.samples_ns.assign(100, ns);
  timing.control_ns = {1000, 1000};
  return trace;
}

RunRecords run_of(const std::vector<Trace>& traces) {
  RunRecords records;
  for (const Trace& trace : traces)
    records[{trace.definition, trace.workload.uuid}].insert_or_assign(
        *trace.solution, Stored<Trace>{trace, "file", 1});
  return records;
}

Finding only_finding(const std::vector<Trace>& after, const std::vector<Trace>& before,
                     const GatePolicy& policy = {}) {
  const RunRecords now = run_of(after), then = run_of(before);
  const GateReport report = judge_run(now, &then, policy);
  EXPECT_EQ(report.rows.size(), 1u);
  return report.rows.front().finding;
}

TEST(Gate, TellsTimesApart) {
  const std::vector<Trace> before = {record("u", "s", 1000)};
  EXPECT_EQ(only_finding({record("u", "s", 1200)}, before), Finding::slower);
  EXPECT_EQ(only_finding({record("u", "s", 800)}, before), Finding::faster);
  EXPECT_EQ(only_finding({record("u", "s", 1001)}, before), Finding::same);
  EXPECT_EQ(only_finding({record("u", "s", 1030)}, before), Finding::undecided);
}

TEST(Gate, AWrongAnswerStopsHoweverItWasBefore) {
  const Trace wrong = record("u", "s", 1000, Status::incorrect_numerical);
  EXPECT_EQ(only_finding({wrong}, {record("u", "s", 1000)}), Finding::failed);
  EXPECT_EQ(only_finding({wrong}, {wrong}), Finding::failed);
  const RunRecords now = run_of({wrong});
  EXPECT_EQ(judge_run(now, nullptr, {}).count(Consequence::fail), 1u);
}

TEST(Gate, WhatIsMendedHasNoTimeToBeHeldAgainst) {
  EXPECT_EQ(only_finding({record("u", "s", 9000)}, {record("u", "s", 1, Status::timeout)}),
            Finding::passed);
}

TEST(Gate, NamesWhatIsNewAndWhatIsMissing) {
  const RunRecords now = run_of({record("u", "s", 1000), record("u", "t", 1000)});
  const RunRecords then = run_of({record("u", "s", 1000), record("v", "s", 1000)});
  const GateReport report = judge_run(now, &then, {});
  std::map<std::string, Finding> findings;
  for (const GateRow& row : report.rows)
    findings[row.trace().workload.uuid + *row.trace().solution] = row.finding;
  const std::map<std::string, Finding> wanted = {
      {"us", Finding::same}, {"ut", Finding::added}, {"vs", Finding::missing}};
  EXPECT_EQ(findings, wanted);
  EXPECT_EQ(report.count(Consequence::fail), 1u);
  EXPECT_EQ(report.count(Consequence::warn), 1u);
}

TEST(Gate, WhatWasSkippedDidNotPass) {
  Trace skipped = record("u", "s", 1000, Status::timeout);
  skipped.evaluation->kbench->skipped = true;
  EXPECT_EQ(only_finding({skipped}, {record("u", "s", 1000)}), Finding::skipped);
}

TEST(Gate, TimesOfAnotherMachineAreNotCompared) {
  Trace other = record("u", "s", 900);
  other.evaluation->kbench->basis->machine = "n";
  EXPECT_EQ(only_finding({other}, {record("u", "s", 1000)}), Finding::incomparable);
  GatePolicy policy;
  policy.across_machines = true;
  EXPECT_EQ(only_finding({other}, {record("u", "s", 1000)}, policy), Finding::faster);
}

TEST(Gate, PlainModeMayBeRefused) {
  GatePolicy policy;
  policy.audited = true;
  const std::vector<Trace> both = {record("u", "s", 1000)};
  EXPECT_EQ(only_finding(both, both, policy), Finding::failed);
}

// What a hand has changed after the run stops, whatever it says; the digest is of all of it.
TEST(Gate, AnEditedRecordFails) {
  Trace trace = record("u", "s", 1000, Status::incorrect_numerical);
  trace.evaluation->kbench->digest = record_digest(trace);
  trace.evaluation->status = Status::passed;
  const RunRecords edited = run_of({trace});
  const GateReport report = judge_run(edited, nullptr, {});
  EXPECT_EQ(report.rows.front().finding, Finding::failed);
  EXPECT_NE(report.rows.front().why.find("digest"), std::string::npos);
  trace.evaluation->kbench->digest = record_digest(trace);
  const RunRecords whole = run_of({trace});
  EXPECT_EQ(judge_run(whole, nullptr, {}).rows.front().finding, Finding::passed);
}

TEST(Gate, ThePolicySaysWhatStops) {
  const RunRecords now = run_of({record("u", "s", 1200)});
  const RunRecords then = run_of({record("u", "s", 1000)});
  GatePolicy policy;
  EXPECT_EQ(judge_run(now, &then, policy).count(Consequence::fail), 1u);
  policy.slower = Consequence::warn;
  EXPECT_EQ(judge_run(now, &then, policy).count(Consequence::warn), 1u);
  policy.margin = 0.5;
  EXPECT_EQ(judge_run(now, &then, policy).count(Consequence::ignore), 1u);
}

// With so many comparisons as here one in a hundred would be wrong by itself: the error is of all.
TEST(Gate, TheErrorIsOfAllThatIsCompared) {
  std::vector<Trace> after, before;
  for (int i = 0; i < 100; ++i) {
    before.push_back(record("u" + std::to_string(i), "s", 1000));
    after.push_back(record("u" + std::to_string(i), "s", 1000));
    // Seven samples decide at 1 %, and not at a hundredth of it.
    before.back().evaluation->kbench->timing->samples_ns.resize(7);
    after.back().evaluation->kbench->timing->samples_ns.resize(7);
  }
  const RunRecords now = run_of(after), then = run_of(before);
  for (const GateRow& row : judge_run(now, &then, {}).rows)
    EXPECT_EQ(row.finding, Finding::undecided);
  EXPECT_EQ(only_finding({after.front()}, {before.front()}), Finding::same);
}

}  // namespace
}  // namespace kbench
