// A suite is a definition (on a machine, where there are several), a case a solution on a workload,
// its time that of one call in seconds. A wrong answer is a failure; what could not be built or
// run, or took too long, is an error.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/format.hpp"
#include "report/wording.hpp"

namespace kbench {

namespace {

std::string text_of(const JUnitCase& one) {
  std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"",
                                xml_text(one.suite), xml_text(one.name), one.seconds);
  if (one.outcome == JUnitOutcome::passed && one.output.empty()) return out + "/>\n";
  out += ">\n";
  const std::string first = xml_text(one.message.substr(0, one.message.find('\n')));
  if (one.outcome == JUnitOutcome::skipped) {
    out += fmt::format("      <skipped message=\"{}\"/>\n", first);
  } else if (one.outcome != JUnitOutcome::passed) {
    const char* const tag = one.outcome == JUnitOutcome::failure ? "failure" : "error";
    out += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", tag,
                       xml_text(one.type), first, xml_text(one.message));
  }
  if (!one.output.empty()) out += "      <system-out>" + xml_text(one.output) + "</system-out>\n";
  return out + "    </testcase>\n";
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const JUnitCase& one) {
    ++tests;
    failures += one.outcome == JUnitOutcome::failure ? 1 : 0;
    errors += one.outcome == JUnitOutcome::error ? 1 : 0;
    skipped += one.outcome == JUnitOutcome::skipped ? 1 : 0;
    seconds += one.seconds;
  }

  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.9f}\"", tests,
                       failures, errors, seconds);
  }
};

constexpr std::string_view time_form = "0000-00-00T00:00:00";  // xs:dateTime

bool is_time(const std::string& text) {
  return text.size() == time_form.size() &&
         std::equal(text.begin(), text.end(), time_form.begin(),
                    [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; });
}

std::string text_of(const std::vector<JUnitCase>& cases) {
  std::string suites;
  Counts all;
  const auto suite_of = [](const JUnitCase& one) { return one.suite; };
  for (const auto& [suite, own] : by_definition(cases, suite_of)) {
    Counts counts;
    std::string text, timestamp;
    for (const JUnitCase* one : own) {
      counts.add(*one);
      all.add(*one);
      text += text_of(*one);
      const std::string when = one->timestamp.substr(0, time_form.size());
      if (is_time(when)) timestamp = std::max(timestamp, when);
    }
    const std::string when = timestamp.empty() ? "" : " timestamp=\"" + timestamp + "\"";
    suites += fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\"{}>\n{}", xml_text(suite),
                          counts.attributes(), counts.skipped, when, text) +
              "  </testsuite>\n";
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kbench\" {}>\n",
             all.attributes()) +
         suites + "</testsuites>\n";
}

JUnitOutcome outcome_of(const Trace& trace) {
  if (is_skipped(trace)) return JUnitOutcome::skipped;
  switch (trace.evaluation->status) {
    case Status::passed:
      return JUnitOutcome::passed;
    case Status::incorrect_shape:
    case Status::incorrect_numerical:
    case Status::incorrect_dtype:
      return JUnitOutcome::failure;
    default:
      return JUnitOutcome::error;
  }
}

JUnitCase case_of(const Trace& trace, const Subjects& subjects) {
  const Evaluation& evaluation = *trace.evaluation;
  const auto& performance = evaluation.performance;
  const std::string cause =
      evaluation.kbench ? evaluation.kbench->cause.value_or("") : std::string();
  return {subjects.of(trace),
          trace.solution.value_or("") + " @ " + workload_text(trace.workload),
          performance ? performance->latency_ms * 1e-3 : 0,
          outcome_of(trace),
          status_text(evaluation),
          (is_skipped(trace) ? "not run, having failed elsewhere: " : "") + cause,
          evaluation.log,
          evaluation.timestamp};
}

}  // namespace

std::string write_junit(const Document& document, const ReportOptions& /*options*/) {
  std::vector<JUnitCase> cases;
  for (const Diagnostic& problem : document.problems)
    cases.push_back({"input", place_text(problem), 0, JUnitOutcome::error, "input", problem.message,
                     problem.hint});
  cases.insert(cases.end(), document.cases.begin(), document.cases.end());
  const auto traces = document.traces.value_or(std::span<const Trace>());
  const Subjects subjects(traces);
  for (const Trace& trace : traces)
    if (trace.evaluation) cases.push_back(case_of(trace, subjects));
  return text_of(cases);
}

}  // namespace kbench
