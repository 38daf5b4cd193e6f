#include "schema/record_label.hpp"

#include <gtest/gtest.h>

#include <set>

#include "schema/scan.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

Trace labelled_record() {
  Trace trace;
  trace.definition = "a definition/of mine";
  trace.solution = "λ";
  trace.workload.uuid = "u";
  trace.evaluation.emplace().kbench.emplace().basis =
      Basis{"d", "w", "s", "g++ 12", {"-O3", "-DA=1"}, "m", std::nullopt, {}};
  return trace;
}

TEST(RecordLabel, IsOfWhatTheRecordRestsOn) {
  const auto stamp = record_stamp(labelled_record());
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->definition, "a definition/of mine");
  EXPECT_EQ(stamp->solution, "λ");
  EXPECT_EQ(stamp->version, "0");
  EXPECT_EQ(parse_stamp(stamp_label(*stamp)), stamp);
  Trace other = labelled_record();
  other.evaluation->kbench->seed = "7";  // no part of it
  EXPECT_EQ(record_stamp(other), stamp);
}

TEST(RecordLabel, EachPartOfItCounts) {
  std::set<std::string> keys = {basis_key(*labelled_record().evaluation->kbench->basis)};
  std::string Basis::*const texts[] = {&Basis::definition, &Basis::workload, &Basis::solution,
                                       &Basis::machine};
  for (std::string Basis::*const text : texts) {
    Basis basis = *labelled_record().evaluation->kbench->basis;
    basis.*text += "x";
    keys.insert(basis_key(basis));
  }
  Basis basis = *labelled_record().evaluation->kbench->basis;
  basis.compiler.reset();
  keys.insert(basis_key(basis));
  basis.flags.clear();
  keys.insert(basis_key(basis));
  basis.prepare = "setup";
  keys.insert(basis_key(basis));
  EXPECT_EQ(keys.size(), 8u);
}

TEST(RecordLabel, OfAConfiguredOneItIsTheTunersOwn) {
  Trace trace = labelled_record();
  ConfigurationRecord configuration;
  configuration.source = "store";
  configuration.label = "kbench#d/s@3:0123456789abcdef";
  trace.evaluation->kbench->configuration = configuration;
  EXPECT_EQ(record_stamp(trace), (Stamp{"d", "s", "3", "0123456789abcdef"}));
}

TEST(RecordLabel, IsTheSameWhenTheRecordIsReadAgain) {
  Trace trace = labelled_record();
  trace.evaluation->timestamp = "2026-11-25T12:00:00";
  trace.evaluation->environment.hardware = "a CPU";
  trace.evaluation->kbench->label = stamp_label(*record_stamp(trace));
  Diagnostics problems;
  int bad_line = 0;
  const auto lines =
      read_trace_lines({"t.jsonl", to_json(trace, Dump::full) + "\n"}, {}, bad_line, problems);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(record_stamp(lines[0].trace), record_stamp(trace));
  EXPECT_EQ(lines[0].trace.evaluation->kbench->label, trace.evaluation->kbench->label);
}

TEST(RecordLabel, OthersProgramsRecordsHaveNone) {
  EXPECT_EQ(record_stamp({}), std::nullopt);
  Trace trace = labelled_record();
  trace.evaluation->kbench->basis.reset();
  EXPECT_EQ(record_stamp(trace), std::nullopt);
  trace.evaluation->kbench.reset();
  EXPECT_EQ(record_stamp(trace), std::nullopt);
  trace = labelled_record();
  trace.solution.reset();
  EXPECT_EQ(record_stamp(trace), std::nullopt);
}

}  // namespace
}  // namespace kbench
