#include "evaluate/trial_verdict.hpp"

#include <fmt/format.h>

namespace kbench {

Verdict trial_verdict(const VerdictRule& rule, const Problem& problem, const ResolvedConfig& config,
                      const Trial& trial, const std::vector<TensorView>& outputs) {
  const std::vector<std::string> names = output_names(problem);
  VerdictContext context = verdict_context(problem, names, config);
  context.standards = trial.standards;
  Verdict verdict = rule.judge(context, outputs, trial.reference.outputs);
  if (trial.set == InputSet::random) return verdict;
  verdict.evidence.clear();
  if (!verdict.detail.empty())
    verdict.detail =
        fmt::format("in the structured inputs '{}': {}", set_name(trial.set), verdict.detail);
  return verdict;
}

}  // namespace kbench
