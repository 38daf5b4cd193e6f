#include "evaluate/structured.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "data/generate.hpp"
#include "data/structure.hpp"
#include "problem/element.hpp"
#include "problem/origin.hpp"
#include "syntax/called.hpp"

namespace kbench {
namespace {

constexpr std::array sets{InputSet::exact, InputSet::mixed};
constexpr std::uint32_t first_trial = 1U << 20;  // no random trial has such a number
constexpr ExactEffort little_effort{
    .wanted = true, .least_runs = 6, .most_runs = 8, .budget_seconds = 0.02};

bool chooses(std::string_view reference) {
  const python::Calls calls(reference);
  return std::any_of(std::begin(choosers), std::end(choosers), [&](const Chooser& row) {
    return row.picks_among_equals && calls.attribute(row.name);
  });
}

// Why no structured set would be fair; "" where one may be.
std::string reason_against_all(const BoundWorkload& bound, const PreparedWorkload& out) {
  if (!bound.options.config.structured_inputs) return "the configuration says so";
  if (is_costly(out.trials.front())) return "the reference is slow, or the inputs are large";
  if (!out.exact || out.exact->judged_against != "exact")
    return "the reference's double answer is not what solutions are judged by";
  const auto& outputs = out.problem.outputs;
  if (std::any_of(outputs.begin(), outputs.end(), [](const TensorPlan& output) {
        return info(output.dtype).kind != DTypeKind::floating;
      }))
    return "an output is not floating";
  if (chooses(bound.definition->reference)) return "the reference chooses among equal numbers";
  return "";
}

std::size_t not_finite(const ReferenceAnswer& answer) {
  std::size_t count = 0;
  for (const ExactTensor& output : answer.exact->outputs) {
    count += static_cast<std::size_t>(std::count_if(output.values.begin(), output.values.end(),
                                                    [](double r) { return !std::isfinite(r); }));
  }
  return count;
}

// Why the set is not fair; "" where it is.
std::string reason_against(const Trial& trial, const ExactRecord& record, const Trial& random) {
  if (!trial.reference.exact) return "there is no double answer: " + trial.reference.exact_absent;
  if (not_finite(trial.reference) > not_finite(random.reference)) return "the answer is not finite";
  if (record.judged_against != "exact")
    return "the reference's own answer is further from the double one than honest arithmetic";
  return "";
}

// Nothing, and the reason, where the set is not fair.
std::optional<Trial> structured_trial(const BoundWorkload& bound, const Structure& structure,
                                      ReferenceEvaluator& evaluator, const PreparedWorkload& out,
                                      std::string& reason) {
  const Definition& definition = *bound.definition;
  const PrepareOptions& options = bound.options;
  Diagnostics problems;
  Trial trial;
  trial.set = structure.set;
  trial.inputs = generate_inputs(out.problem, bound.values,
                                 {structure.seed, structure.trial, options.root, options.threads,
                                  Place(bound.workload->path, bound.workload->line)},
                                 problems);
  if (problems.errors() > 0 ||
      !restructure(definition, out.problem, bound.values, structure, trial.inputs)) {
    reason = "there is no input to vary";
    return std::nullopt;
  }
  trial.reference = evaluator.evaluate(definition, out.problem, trial.inputs,
                                       {.max_samples = 0, .budget_seconds = 0}, little_effort);
  if (trial.reference.outcome != ReferenceAnswer::Outcome::ok) {
    reason = "the reference does not answer: " + trial.reference.message;
    return std::nullopt;
  }
  Yardsticks made =
      yardsticks_of(definition, out.problem, trial.inputs, trial.reference, structure.set);
  demand(made, out.problem, bound.options.config.judge_by);
  trial.standards = std::move(made.outputs);
  reason = reason_against(trial, made.record, out.trials.front());
  if (!reason.empty()) return std::nullopt;
  return trial;
}

}  // namespace

void add_structured(const BoundWorkload& bound, ReferenceEvaluator& evaluator,
                    PreparedWorkload& out) {
  InputSetsRecord& record = out.input_sets.emplace();
  const std::string against_all = reason_against_all(bound, out);
  for (const InputSet set : sets) {
    const std::string name(set_name(set));
    std::string reason = against_all;
    if (reason.empty()) {
      const Structure structure{set, out.seed, first_trial + static_cast<std::uint32_t>(set)};
      if (auto trial = structured_trial(bound, structure, evaluator, out, reason)) {
        out.structured.push_back(std::move(*trial));
        record.used.push_back(name);
        continue;
      }
    }
    record.dropped[name] = reason;
  }
}

}  // namespace kbench
