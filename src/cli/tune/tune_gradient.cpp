#include "cli/tune/tune_gradient.hpp"

#include <fmt/format.h>

#include "cli/shell/interrupts.hpp"
#include "derive/directed_contender.hpp"

namespace kbench {

std::optional<TunedGradient> tuned_gradient(const Stored<Solution>& solution,
                                            const Sidecar& sidecar, const Definition& definition,
                                            Direction direction, Diagnostics& reports) {
  if (!fits(sidecar.gradients, definition, reports)) return std::nullopt;
  if (solution.record.spec.language == Language::cuda) {
    reports.error(
        {solution.path, 0, 0, "", ""},
        fmt::format("{} runs on a GPU: gradients are tuned on the CPU", solution.record.name));
    return std::nullopt;
  }
  auto functions = gradient_functions(solution, sidecar.methods, reports);
  if (!functions) return std::nullopt;
  return TunedGradient{direction, sidecar.gradients, *std::move(functions)};
}

GradientReferences::GradientReferences(const RunOptions& options)
    : caches_(options),
      evaluator_(options.programs / "kbench-torch", options.reference_limits,
                 static_cast<int>(options.judge.threads), interrupted(), caches_.answer_store()) {}

std::string GradientReferences::prepare(const Workplace& place, const TunedGradient& gradient,
                                        std::uint64_t seed) {
  prepared_.emplace(prepare_gradient(*place.job.definition, place.workload, gradient.spec,
                                     evaluator_, {.seed = seed, .quick = false}));
  return reference_problem(*prepared_);
}

StartContender GradientReferences::start(const Workplace& place,
                                         const TunedGradient& gradient) const {
  return starts_directed(*prepared_, gradient.functions, place.options, gradient.direction);
}

}  // namespace kbench
