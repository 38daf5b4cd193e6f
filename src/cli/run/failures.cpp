#include "cli/run/failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

// Without the check in which it was.
std::string plain_cause(const Trace& trace) {
  const std::string cause = cause_of(trace);
  return cause.substr(0, cause.find(", in the check "));
}

}  // namespace

// Where a plain call gives wrong values, the numbers differ with the workload.
bool FailurePrinter::Cause::is_that_of(const Cause& other) const {
  const bool is_wrong = is_plain && status == status_name(Status::incorrect_numerical);
  return kernel == other.kernel && status == other.status && (is_wrong || text == other.text);
}

void FailurePrinter::print(const Trace& trace, const std::function<std::string()>& again) {
  if (is_repeated(trace)) return;
  tell(fmt::format("{} {}: {}\n  again: {}\n", status_name(trace.evaluation->status),
                   printable(trace.solution.value_or("")), cause_of(trace), printable(again())));
}

bool FailurePrinter::is_repeated(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  if (!details || !details->kernel || !details->kernel->contract) return false;
  const KernelRecord& kernel = *details->kernel;
  Cause cause{fmt::format("{}:{} {}", kernel.file, kernel.line, kernel.key.value_or("")),
              std::string(status_name(trace.evaluation->status)),
              plain_cause(trace),
              trace.solution.value_or(""),
              kernel.symbol,
              kernel.contract->ends_with(" values"),
              0};
  const auto found = std::find_if(causes_.begin(), causes_.end(),
                                  [&](const Cause& one) { return one.is_that_of(cause); });
  if (found == causes_.end()) {
    causes_.push_back(std::move(cause));
    return false;
  }
  ++found->repeated;
  return true;
}

void FailurePrinter::print_repeated() const {
  for (const Cause& one : causes_) {
    if (one.repeated > 0 && !terminal().quiet)
      tell(fmt::format(
          "{} {}: {} as {}\n", one.status, printable(one.symbol),
          one.repeated == 1 ? "1 more check" : fmt::format("{} more checks", one.repeated),
          printable(one.first)));
  }
}

}  // namespace kbench
