#include "judge/check_of_reference.hpp"

#include <fmt/format.h>

#include "judge/output_check.hpp"
#include "schema/check_function.hpp"

namespace kbench {
namespace {

CheckAnswer ask_about_reference(const Problem& problem, const Trial& trial) {
  return trial.check->ask(problem, trial.inputs, trial.reference, trial.reference.outputs);
}

}  // namespace

bool accepts_reference(const Definition& definition, const Problem& problem, const Trial& trial,
                       Diagnostics& diagnostics) {
  const CheckAnswer answer = ask_about_reference(problem, trial);
  const bool has_answered = answer.outcome == ReferenceOutcome::ok;
  if (has_answered && answer.refusal.empty()) return true;
  diagnostics.error(line_of_reference(definition, answer.line),
                    fmt::format("check() {} the reference's own answer (workload {}): {}",
                                has_answered ? "refuses" : "fails on", problem.workload,
                                has_answered ? answer.refusal : answer.message),
                    "it judges the outputs that it takes: docs/verdict.md");
  return false;
}

std::string reason_of_check(const Problem& problem, const Trial& trial) {
  if (!trial.check) return "";
  const CheckAnswer answer = ask_about_reference(problem, trial);
  if (answer.outcome != ReferenceOutcome::ok) return "check() fails there: " + answer.message;
  if (answer.refusal.empty()) return "";
  return "check() refuses the reference's own answer: " + answer.refusal;
}

void tell_unasked_check(const Definition& definition, const VerdictRule& rule,
                        Diagnostics& diagnostics) {
  // No workload is named, so that it is said once.
  if (const auto idle = find_idle_check(definition)) {
    diagnostics.warning(line_of_reference(definition, idle->line), idle->why, idle->hint);
  } else if (const auto check = find_check(definition); check && !rule.needs_exact) {
    diagnostics.warning(line_of_reference(definition, check->line),
                        fmt::format("the rule {} does not ask check(): an answer that is not the "
                                    "reference's is wrong by it",
                                    rule.name),
                        "--rule kbench asks it");
  }
}

}  // namespace kbench
