#include "cli/run/failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/shell/terminal.hpp"
#include "report/workload_text.hpp"

namespace kbench {
namespace {

// Without the check in which it was.
std::string plain_cause(const Trace& trace) {
  const std::string cause = cause_of(trace);
  return cause.substr(0, cause.find(", in the check "));
}

// One fault is in other places of other workloads.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = (c >= '0' && c <= '9') || c == '.';
    if (!is_digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

}  // namespace

// Where a plain call gives wrong values, the numbers differ with the workload.
bool FailurePrinter::Cause::is_that_of(const Cause& other) const {
  const bool is_wrong = is_plain && status == status_name(Status::incorrect_numerical);
  return kernel == other.kernel && status == other.status && (is_wrong || text == other.text);
}

void FailurePrinter::print(const Trace& trace, const std::function<std::string()>& again) {
  if (is_repeated(trace)) return;
  tell(fmt::format("{} {}: {}\n  again: {}\n", status_text(*trace.evaluation),
                   printable(trace.solution.value_or("")), cause_of(trace), printable(again())));
}

bool FailurePrinter::is_repeated(const Trace& trace) {
  Cause cause = cause_in(trace);
  const auto found = std::find_if(causes_.begin(), causes_.end(),
                                  [&](const Cause& one) { return one.is_that_of(cause); });
  if (found == causes_.end()) {
    causes_.push_back(std::move(cause));
    return false;
  }
  ++found->repeated;
  return true;
}

FailurePrinter::Cause FailurePrinter::cause_in(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  const std::string solution = trace.solution.value_or("");
  Cause cause{trace.definition + " " + solution,
              status_text(*trace.evaluation),
              without_numbers(cause_of(trace)),
              workload_text(trace.workload),
              solution,
              "workload"};
  if (!details || !details->kernel || !details->kernel->contract) return cause;
  const KernelRecord& kernel = *details->kernel;
  cause.kernel = fmt::format("{}:{} {}", kernel.file, kernel.line, kernel.key.value_or(""));
  cause.text = plain_cause(trace);
  cause.first = solution;
  cause.symbol = kernel.symbol;
  cause.noun = "check";
  cause.is_plain = kernel.contract->ends_with(" values");
  return cause;
}

void FailurePrinter::print_repeated() const {
  for (const Cause& one : causes_) {
    if (one.repeated == 0) continue;
    const auto count = static_cast<std::size_t>(one.repeated);
    tell(fmt::format("{} {}: {} more {} as {}\n", one.status, printable(one.symbol), count,
                     count == 1 ? one.noun : one.noun + "s", printable(one.first)));
  }
}

}  // namespace kbench
