#include "schema/record_digest.hpp"

#include <gtest/gtest.h>

#include "schema/scan.hpp"
#include "schema/write.hpp"

namespace kbench {
namespace {

std::string line_as_written() {
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = "u";
  trace.solution = "s";
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.environment.hardware = "a CPU";
  evaluation.timestamp = "2026-11-21T12:00:00";
  evaluation.kbench.emplace().cause = "it \"crashed\"";
  evaluation.kbench->digest = record_digest(trace);
  return to_json(trace, Dump::full);
}

Trace read_line(const std::string& line) {
  Diagnostics problems;
  int bad_line = 0;
  auto lines = read_trace_lines({"t.jsonl", line + "\n"}, {}, bad_line, problems);
  EXPECT_EQ(lines.size(), 1u) << problems.errors();
  return std::move(lines.front().trace);
}

std::string changed(std::string line, const std::string& old, const std::string& now) {
  return line.replace(line.find(old), old.size(), now);
}

TEST(RecordDigest, ALineAsWrittenIsSealed) {
  const Trace trace = read_line(line_as_written());
  EXPECT_TRUE(trace.is_sealed);
  EXPECT_FALSE(is_edited(trace));
}

TEST(RecordDigest, ALineWrittenAnewIsNeitherSealedNorEdited) {
  const Trace trace = read_line(changed(line_as_written(), "\":\"", "\": \""));
  EXPECT_FALSE(trace.is_sealed);
  EXPECT_FALSE(is_edited(trace));
}

TEST(RecordDigest, AChangedValueShows) {
  for (const auto& [old, now] : {std::pair{"crashed", "passed"}, std::pair{"a CPU", "a GPU"}}) {
    const Trace trace = read_line(changed(line_as_written(), old, now));
    EXPECT_FALSE(trace.is_sealed);
    EXPECT_TRUE(is_edited(trace));
  }
}

}  // namespace
}  // namespace kbench
