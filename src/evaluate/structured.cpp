#include "evaluate/structured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "data/generate.hpp"
#include "data/structure.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::array sets{InputSet::exact, InputSet::mixed, InputSet::special};
constexpr std::uint32_t first_trial = 1U << 20;  // no random trial has such a number
constexpr ExactEffort little_effort{
    .wanted = true, .least_runs = 6, .most_runs = 8, .budget_seconds = 0.02};

// Whether it says of any input which outputs are right.
bool is_known(const Standard& standard) {
  return std::holds_alternative<Yardstick>(standard) || std::holds_alternative<Codes>(standard) ||
         std::holds_alternative<Choice>(standard);
}

// Why no structured set would be fair; "" where one may be.
std::string reason_against_all(const BoundWorkload& bound, const PreparedWorkload& out) {
  if (!bound.options.config.structured_inputs) return "the configuration says so";
  if (is_costly(out.trials.front())) return "the reference is slow, or the inputs are large";
  if (!out.exact || out.exact->judged_against != "exact")
    return "the reference's double answer is not what solutions are judged by";
  const auto& standards = out.trials.front().standards;
  for (std::size_t i = 0; i < standards.size(); ++i) {
    const std::string& name = out.problem.outputs[i].name;
    if (is_drawn(standards[i])) return fmt::format("output \"{}\" is drawn", name);
    if (!is_known(standards[i]))
      return fmt::format("output \"{}\" is judged by {}", name, name_of(standards[i]));
  }
  // Many structured numbers are equal. Where the choice is an output, its scores say what is right.
  if (out.trials.front().reference.exact->uses_picks)
    return "something follows from which of equal numbers the reference chooses";
  return "";
}

constexpr std::string_view special_tag = "special_inputs";  // the setting's name

// Much honest arithmetic makes NaN of an infinity (a running maximum that begins with -∞): it is
// asked for what becomes of them where somebody says that they come up.
std::string reason_against_special(const BoundWorkload& bound, const PreparedWorkload& out) {
  const auto& standards = out.trials.front().standards;
  if (!std::all_of(standards.begin(), standards.end(), [](const Standard& standard) {
        return std::holds_alternative<Yardstick>(standard);
      }))
    return "an output is not floating";
  const std::optional<bool> wanted = bound.options.config.special_inputs;
  const auto& tags = bound.definition->tags;
  if (wanted.value_or(std::find(tags.begin(), tags.end(), special_tag) != tags.end())) return "";
  return wanted ? "the configuration says so"
                : fmt::format("the definition has no tag \"{}\"", special_tag);
}

std::size_t not_finite(std::span<const double> values) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](double r) { return !std::isfinite(r); }));
}

std::size_t not_finite(const ReferenceAnswer& answer) {
  std::size_t count = 0;
  for (const ExactTensor& output : answer.exact->outputs) {
    count += not_finite(output.values);
    if (output.rounded) count += not_finite(output.rounded->values);
  }
  return count;
}

std::size_t size(const ReferenceAnswer& answer) {
  std::size_t count = 0;
  for (const ExactTensor& output : answer.exact->outputs) count += output.values.size();
  return count;
}

// Why the set is not fair; "" where it is.
std::string reason_against(const Trial& trial, const ExactRecord& record, const Trial& random) {
  if (!trial.reference.exact) return "there is no double answer: " + trial.reference.exact_absent;
  const std::size_t lost = not_finite(trial.reference);
  if (trial.set == InputSet::special ? lost == size(trial.reference)
                                     : lost > not_finite(random.reference))
    return "the answer is not finite";
  const auto are_alike = [](const Standard& a, const Standard& b) {
    return a.index() == b.index();
  };
  if (!std::equal(trial.standards.begin(), trial.standards.end(), random.standards.begin(),
                  are_alike))
    return "an output cannot be judged as it is elsewhere";
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
  trial.reference = evaluator.evaluate(definition, out.problem, trial.inputs, {}, little_effort);
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
    if (reason.empty() && set == InputSet::special) reason = reason_against_special(bound, out);
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
