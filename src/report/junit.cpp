// A suite is a definition (on a machine, where there are several), a case a solution on a workload,
// its time that of one call in seconds. A wrong answer is a failure; what could not be built or
// run, or took too long, is an error.
#include "report/format.hpp"
#include "report/junit_xml.hpp"
#include "report/subjects.hpp"
#include "report/workload_text.hpp"

namespace kbench {
namespace {

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

std::string write_junit(std::span<const Trace> traces, const ReportOptions& /*options*/) {
  std::vector<JUnitCase> cases;
  const Subjects subjects(traces);
  for (const Trace& trace : traces)
    if (trace.evaluation) cases.push_back(case_of(trace, subjects));
  return write_junit_cases(cases);
}

}  // namespace kbench
