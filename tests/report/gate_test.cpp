#include "report/gate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "schema/record_signature.hpp"

namespace kbench {
namespace {

Trace gated_trace(const std::string& uuid, const std::string& solution, double ns,
                  Status status = Status::passed) {
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = uuid;
  trace.solution = solution;
  trace.is_sealed = true;
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

GateFinding only_finding(const std::vector<Trace>& after, const std::vector<Trace>& before,
                         const GatePolicy& policy = {}) {
  const RunRecords now = run_of(after), then = run_of(before);
  const GateReport report = judge_run(now, &then, policy);
  EXPECT_EQ(report.rows.size(), 1u);
  return report.rows.front().finding;
}

TEST(Gate, TellsTimesApart) {
  const std::vector<Trace> before = {gated_trace("u", "s", 1000)};
  EXPECT_EQ(only_finding({gated_trace("u", "s", 1200)}, before), GateFinding::slower);
  EXPECT_EQ(only_finding({gated_trace("u", "s", 800)}, before), GateFinding::faster);
  EXPECT_EQ(only_finding({gated_trace("u", "s", 1001)}, before), GateFinding::same);
  EXPECT_EQ(only_finding({gated_trace("u", "s", 1030)}, before), GateFinding::undecided);
}

TEST(Gate, AWrongAnswerStopsHoweverItWasBefore) {
  const Trace wrong = gated_trace("u", "s", 1000, Status::incorrect_numerical);
  EXPECT_EQ(only_finding({wrong}, {gated_trace("u", "s", 1000)}), GateFinding::failed);
  EXPECT_EQ(only_finding({wrong}, {wrong}), GateFinding::failed);
  const RunRecords now = run_of({wrong});
  EXPECT_EQ(judge_run(now, nullptr, {}).count(Consequence::fail), 1u);
}

TEST(Gate, WhatIsMendedHasNoTimeToBeHeldAgainst) {
  EXPECT_EQ(
      only_finding({gated_trace("u", "s", 9000)}, {gated_trace("u", "s", 1, Status::timeout)}),
      GateFinding::passed);
}

TEST(Gate, WhatTellsNothingStopsUnlessThePolicySaysElse) {
  Trace now = gated_trace("u", "s", 1200);
  now.evaluation->kbench->non_discriminating = {"zeros", "mean"};
  const std::vector<Trace> before = {gated_trace("u", "s", 1000)};
  EXPECT_EQ(only_finding({now}, before), GateFinding::vacuous);
  const RunRecords records = run_of({now});
  const GateReport report = judge_run(records, nullptr, {});
  EXPECT_EQ(report.count(Consequence::fail), 1u);
  EXPECT_EQ(report.rows.front().why, "a program would pass there that returns zeros or mean");
  GatePolicy policy;
  policy.non_discriminating = Consequence::warn;
  EXPECT_EQ(judge_run(records, nullptr, policy).count(Consequence::warn), 1u);
  policy.non_discriminating = Consequence::ignore;  // treats it as any other
  EXPECT_EQ(only_finding({now}, before, policy), GateFinding::slower);
  now.evaluation->status = Status::incorrect_numerical;
  EXPECT_EQ(only_finding({now}, before), GateFinding::failed);
}

ComparedWorkload timed(const std::string& solution, Answer answer, Status before = Status::passed,
                       Status now = Status::passed) {
  ComparedWorkload out{gated_trace("u", solution, 1000, before),
                       gated_trace("u", solution, 1200, now), std::nullopt, 1};
  if (before == Status::passed && now == Status::passed) out.compared.emplace().answer = answer;
  return out;
}

TEST(Gate, HoldsWhatPassedAgainstABase) {
  TimedBase base;
  base.unchanged = {{"d", "u", "unchanged"}};
  for (const char* const name : {"slower", "mended", "failing", "wrong", "untimed"})
    base.changed.insert({"d", "u", name});
  base.compared = {timed("slower", Answer::slower),
                   timed("mended", Answer::undecided, Status::runtime_error),
                   timed("failing", Answer::undecided, Status::passed, Status::runtime_error)};
  Trace& gone = base.missing.emplace_back(gated_trace("u", "gone", 1));
  gone.evaluation.reset();
  const std::vector<Trace> traces = {
      gated_trace("u", "unchanged", 1), gated_trace("u", "slower", 1),
      gated_trace("u", "mended", 1),    gated_trace("u", "failing", 1),
      gated_trace("u", "untimed", 1),   gated_trace("u", "wrong", 1, Status::incorrect_numerical),
      gated_trace("u", "new", 1)};
  const RunRecords now = run_of(traces);
  const GateReport report = judge_run(now, base, {});
  std::map<std::string, GateFinding> findings;
  for (const GateRow& row : report.rows) findings[*row.trace().solution] = row.finding;
  const std::map<std::string, GateFinding> wanted = {
      {"unchanged", GateFinding::unchanged}, {"slower", GateFinding::slower},
      {"mended", GateFinding::passed},       {"failing", GateFinding::failed},
      {"untimed", GateFinding::undecided},   {"wrong", GateFinding::failed},
      {"new", GateFinding::added},           {"gone", GateFinding::missing}};
  EXPECT_EQ(findings, wanted);
  EXPECT_EQ(report.count(Consequence::fail), 4u);
  for (const std::string& format : format_names(Needs::findings))
    EXPECT_NE(find_format(format)->write(gate_document(report, true), {}).find("gone"),
              std::string::npos)
        << format;
}

// Rows are so many that several threads judge them.
TEST(Gate, ManyRowsAreEachOfItsOwnRecord) {
  std::vector<Trace> before, after;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = std::to_string(1000 + i);
    before.push_back(gated_trace(uuid, "s", 1000));
    after.push_back(gated_trace(uuid, "s", i % 3 == 0 ? 1200 : 1001));
  }
  const RunRecords now = run_of(after), then = run_of(before);
  const GateReport report = judge_run(now, &then, {});
  ASSERT_EQ(report.rows.size(), after.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(report.rows[i].trace().workload.uuid, after[i].workload.uuid);
    EXPECT_EQ(report.rows[i].finding, i % 3 == 0 ? GateFinding::slower : GateFinding::same);
  }
}

TEST(Gate, SaysWhatCouldNotBeJudgedAtAll) {
  const std::vector<Trace> traces = {gated_trace("u", "s", 1)};
  const RunRecords now = run_of(traces);
  GateReport report = judge_run(now, nullptr, {});
  report.problems = {{Level::error, {"d.json", 3, 5, "", ""}, "no such key", "did you mean x?"}};
  EXPECT_NE(write_github(gate_document(report, false), {})
                .find("::error title=kbench,file=d.json,line=3,col=5::no such key"),
            std::string::npos);
  EXPECT_NE(write_markdown(gate_document(report, false), {}).find("- d.json:3:5: no such key"),
            std::string::npos);
  EXPECT_NE(write_junit(gate_document(report, false), {}).find("errors=\"1\""), std::string::npos);
  EXPECT_EQ(gate_sentence(report),
            "the gate is shut: 1 error in what there was to judge; 1 passed");
}

TEST(Gate, WhatIsAfterFollowsFromTheRatio) {
  TimedBase base;
  base.changed = {{"d", "u", "s"}};
  ComparedWorkload& one = base.compared.emplace_back(timed("s", Answer::slower));
  one.a.evaluation->performance.emplace().latency_ms = 0.002;
  one.b.evaluation->performance.emplace().latency_ms = 0.001;  // a faster clock's
  one.compared->log_ratio = std::log(1.5);
  const std::vector<Trace> traces = {gated_trace("u", "s", 1)};
  const RunRecords now = run_of(traces);
  const std::string text = write_table(gate_document(judge_run(now, base, {}), true), {});
  EXPECT_NE(text.find("2.00 µs  3.00 µs  1.5000"), std::string::npos) << text;
}

TEST(Gate, FoldsOneFindingOfManyWorkloads) {
  TimedBase base;
  for (const char* const uuid : {"a", "b", "c", "d", "e"}) {
    Trace& gone = base.missing.emplace_back(gated_trace(uuid, "gone", 1));
    gone.evaluation.reset();
  }
  const RunRecords now;
  const std::string text = write_github(gate_document(judge_run(now, base, {}), false), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("and 2 workloads more"), std::string::npos) << text;
}

TEST(Gate, AnnotatesTheLineThatACompilerNamed) {
  Trace trace = gated_trace("u", "s", 1, Status::compile_error);
  trace.evaluation->log = "s.cpp:3:10: error: no such thing\n";
  const RunRecords now = run_of({trace, gated_trace("v", "t", 1, Status::timeout)});
  const FileOf file_of = [](std::string_view solution, std::string_view source) {
    return std::string(solution) + "/" + std::string(source.empty() ? "json" : source);
  };
  const std::string text =
      write_github(gate_document(judge_run(now, nullptr, {}), false, file_of), {});
  EXPECT_NE(text.find("file=s/s.cpp,line=3,col=10::d: no such thing"), std::string::npos) << text;
  EXPECT_NE(text.find("file=t/json::"), std::string::npos) << text;
}

TEST(Gate, NamesWhatIsNewAndWhatIsMissing) {
  const RunRecords now = run_of({gated_trace("u", "s", 1000), gated_trace("u", "t", 1000)});
  const RunRecords then = run_of({gated_trace("u", "s", 1000), gated_trace("v", "s", 1000)});
  const GateReport report = judge_run(now, &then, {});
  std::map<std::string, GateFinding> findings;
  for (const GateRow& row : report.rows)
    findings[row.trace().workload.uuid + *row.trace().solution] = row.finding;
  const std::map<std::string, GateFinding> wanted = {
      {"us", GateFinding::same}, {"ut", GateFinding::added}, {"vs", GateFinding::missing}};
  EXPECT_EQ(findings, wanted);
  EXPECT_EQ(report.count(Consequence::fail), 1u);
  EXPECT_EQ(report.count(Consequence::warn), 1u);
}

TEST(Gate, WhatWasSkippedDidNotPass) {
  Trace skipped = gated_trace("u", "s", 1000, Status::timeout);
  skipped.evaluation->kbench->skipped = true;
  EXPECT_EQ(only_finding({skipped}, {gated_trace("u", "s", 1000)}), GateFinding::skipped);
}

TEST(Gate, TimesOfAnotherMachineAreNotCompared) {
  Trace other = gated_trace("u", "s", 900);
  other.evaluation->kbench->basis->machine = "n";
  EXPECT_EQ(only_finding({other}, {gated_trace("u", "s", 1000)}), GateFinding::incomparable);
  GatePolicy policy;
  policy.across_machines = true;
  EXPECT_EQ(only_finding({other}, {gated_trace("u", "s", 1000)}, policy), GateFinding::faster);
}

TEST(Gate, PlainModeMayBeRefused) {
  GatePolicy policy;
  policy.audited = true;
  const std::vector<Trace> both = {gated_trace("u", "s", 1000)};
  EXPECT_EQ(only_finding(both, both, policy), GateFinding::failed);
}

// A record that a hand has changed stops it, whatever it says; the digest is of all of it.
TEST(Gate, AnEditedRecordFails) {
  Trace trace = gated_trace("u", "s", 1000, Status::incorrect_numerical);
  trace.is_sealed = false;
  trace.evaluation->kbench->digest = record_digest(trace);
  trace.evaluation->status = Status::passed;
  const RunRecords edited = run_of({trace});
  const GateReport report = judge_run(edited, nullptr, {});
  EXPECT_EQ(report.rows.front().finding, GateFinding::failed);
  EXPECT_NE(report.rows.front().why.find("digest"), std::string::npos);
  trace.evaluation->kbench->digest = record_digest(trace);
  const RunRecords whole = run_of({trace});
  EXPECT_EQ(judge_run(whole, nullptr, {}).rows.front().finding, GateFinding::passed);
}

TEST(Gate, ThePolicySaysWhatStops) {
  const RunRecords now = run_of({gated_trace("u", "s", 1200)});
  const RunRecords then = run_of({gated_trace("u", "s", 1000)});
  GatePolicy policy;
  EXPECT_EQ(judge_run(now, &then, policy).count(Consequence::fail), 1u);
  policy.slower = Consequence::warn;
  EXPECT_EQ(judge_run(now, &then, policy).count(Consequence::warn), 1u);
  policy.margin = 0.5;
  EXPECT_EQ(judge_run(now, &then, policy).count(Consequence::ignore), 1u);
}

// One in a hundred of so many comparisons would be wrong by itself: the error is of all.
TEST(Gate, TheErrorIsOfAllThatIsCompared) {
  std::vector<Trace> after, before;
  for (int i = 0; i < 100; ++i) {
    before.push_back(gated_trace("u" + std::to_string(i), "s", 1000));
    after.push_back(gated_trace("u" + std::to_string(i), "s", 1000));
    // Times known to 1.5 % decide at 1 %, and not at a hundredth of it.
    for (Trace* trace : {&before.back(), &after.back()}) {
      trace->evaluation->kbench->timing->latency_ns = 1000;
      trace->evaluation->kbench->timing->latency_interval_ns = {985, 1015};
    }
  }
  const RunRecords now = run_of(after), then = run_of(before);
  for (const GateRow& row : judge_run(now, &then, {}).rows)
    EXPECT_EQ(row.finding, GateFinding::undecided);
  EXPECT_EQ(only_finding({after.front()}, {before.front()}), GateFinding::same);
}

}  // namespace
}  // namespace kbench
