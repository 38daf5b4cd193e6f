#include "judge/trial_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/output_check.hpp"

namespace kbench {
namespace {

// What the rule has said of the other outputs, and check() of its own.
void add_check(const Problem& problem, const Trial& trial, const std::vector<TensorView>& outputs,
               Verdict& verdict) {
  const Verdict checked = trial.check->judge(problem, trial.inputs, trial.reference, outputs);
  verdict.status = checked.status;
  verdict.detail = checked.detail;
  verdict.margin = std::max(verdict.margin.value_or(0), checked.margin.value_or(0));
}

}  // namespace

Verdict trial_verdict(const VerdictRule& rule, const Problem& problem, const ResolvedConfig& config,
                      const Trial& trial, const std::vector<TensorView>& outputs) {
  const std::vector<std::string> names = output_names(problem);
  VerdictContext context = verdict_context(problem, names, config);
  context.standards = trial.standards;
  Verdict verdict = rule.judge(context, outputs, trial.reference.outputs);
  if (trial.check && verdict.status == Status::passed) add_check(problem, trial, outputs, verdict);
  if (trial.set == InputSet::random) return verdict;
  verdict.evidence.clear();
  if (!verdict.detail.empty())
    verdict.detail =
        fmt::format("in the structured inputs '{}': {}", set_name(trial.set), verdict.detail);
  return verdict;
}

}  // namespace kbench
