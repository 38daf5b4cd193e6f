// A record as kbench writes it, its line, and what is read of it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"
#include "schema/to_json.hpp"
#include "support/temp_folder.hpp"
#include "support/test_key.hpp"

namespace kbench {

inline Trace record() {
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = "u";
  trace.solution = "s";
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.environment.hardware = "a CPU";
  evaluation.environment.libs["kbench"] = "0.1.0";
  evaluation.timestamp = "2026-11-21T12:00:00";
  evaluation.kbench.emplace().cause = "it \"crashed\"";
  evaluation.kbench->digest = record_digest(trace);
  return trace;
}

inline std::shared_ptr<const SigningKey> test_key() {
  const TempFolder folder;
  const auto file = folder.path() / "key.pem";
  write_file(file, test_private_pem);
  std::filesystem::permissions(
      file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return SigningKey::read(file);
}

inline Trace signed_record() {
  Trace trace = record();
  sign(trace, *test_key());
  return trace;
}

inline std::string line_of(const Trace& trace) { return to_json(trace, Dump::full); }

inline Trace read_line(const std::string& line) {
  Diagnostics problems;
  int bad_line = 0;
  auto lines = read_trace_lines({"t.jsonl", line + "\n"}, {}, bad_line, problems);
  EXPECT_EQ(lines.size(), 1U) << line << (problems.empty() ? "" : problems.items().front().message);
  return std::move(lines.front().trace);
}

inline std::string changed(std::string line, const std::string& old, const std::string& now) {
  return line.replace(line.find(old), old.size(), now);
}

}  // namespace kbench
