// JUnit's XML as Jenkins reads it (its junit-plugin's schema), and GitLab likewise: a suite is a
// definition, a case a solution on a workload, its time that of one call in seconds. A wrong answer
// is a failure; what could not be built or run, or took too long, is an error.
#include <fmt/format.h>

#include <algorithm>

#include "report/by_definition.hpp"
#include "report/format.hpp"
#include "report/workload_text.hpp"

namespace kbench {
namespace {

// Whether XML 1.0 can hold it at all ("Char", section 2.2); of bytes beyond ASCII UTF-8 is checked
// elsewhere.
bool is_xml(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 || c == '\t' || c == '\n' || c == '\r';
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (is_xml(c)) {
      out += c;
    } else {
      out += "\uFFFD";
    }
  }
  return out;
}

enum class Outcome { passed, failure, error, skipped };

Outcome outcome_of(const Evaluation& evaluation) {
  if (evaluation.kbench && evaluation.kbench->skipped.value_or(false)) return Outcome::skipped;
  switch (evaluation.status) {
    case Status::passed:
      return Outcome::passed;
    case Status::incorrect_shape:
    case Status::incorrect_numerical:
    case Status::incorrect_dtype:
      return Outcome::failure;
    default:
      return Outcome::error;
  }
}

double seconds_of(const Trace& trace) {
  const auto& performance = trace.evaluation->performance;
  return performance ? performance->latency_ms * 1e-3 : 0;
}

std::string case_of(const Trace& trace) {
  const Evaluation& evaluation = *trace.evaluation;
  std::string out = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", xml(trace.definition),
      xml(trace.solution.value_or("") + " @ " + workload_text(trace.workload)), seconds_of(trace));
  const Outcome outcome = outcome_of(evaluation);
  if (outcome == Outcome::passed && evaluation.log.empty()) return out + "/>\n";
  out += ">\n";
  const std::string cause =
      evaluation.kbench ? evaluation.kbench->cause.value_or("") : std::string();
  const std::string first = xml(cause.substr(0, cause.find('\n')));
  if (outcome == Outcome::skipped) {
    out +=
        fmt::format("      <skipped message=\"not run, having failed elsewhere: {}\"/>\n", first);
  } else if (outcome != Outcome::passed) {
    const char* const tag = outcome == Outcome::failure ? "failure" : "error";
    out += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", tag,
                       status_name(evaluation.status), first, xml(cause));
  }
  if (!evaluation.log.empty())
    out += "      <system-out>" + xml(evaluation.log) + "</system-out>\n";
  return out + "    </testcase>\n";
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const Trace& trace) {
    const Outcome outcome = outcome_of(*trace.evaluation);
    ++tests;
    failures += outcome == Outcome::failure ? 1 : 0;
    errors += outcome == Outcome::error ? 1 : 0;
    skipped += outcome == Outcome::skipped ? 1 : 0;
    seconds += seconds_of(trace);
  }

  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.9f}\"", tests,
                       failures, errors, seconds);
  }
};

}  // namespace

std::string write_junit(std::span<const Trace> traces, const ReportOptions& /*options*/) {
  std::string suites;
  Counts all;
  const auto definition_of = [](const Trace& trace) { return trace.definition; };
  for (const auto& [definition, own] : by_definition(traces, definition_of)) {
    Counts counts;
    std::string cases, timestamp;
    for (const Trace* trace : own) {
      if (!trace->evaluation) continue;
      counts.add(*trace);
      all.add(*trace);
      cases += case_of(*trace);
      timestamp = std::max(timestamp, trace->evaluation->timestamp.substr(0, 19));
    }
    if (cases.empty()) continue;
    suites +=
        fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\" timestamp=\"{}\">\n{}",
                    xml(definition), counts.attributes(), counts.skipped, xml(timestamp), cases) +
        "  </testsuite>\n";
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kbench\" {}>\n",
             all.attributes()) +
         suites + "</testsuites>\n";
}

}  // namespace kbench
