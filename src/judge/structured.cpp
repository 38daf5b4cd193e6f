// The trials of structured inputs (data/structure) of one workload.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "judge/output_check.hpp"
#include "problem/data/draw.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/structure.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::array sets{InputSet::exact,     InputSet::mixed,          InputSet::special,
                          InputSet::clustered, InputSet::keeping,        InputSet::skewed,
                          InputSet::empty,     InputSet::large_integers, InputSet::constants,
                          InputSet::masks};
constexpr std::uint32_t first_trial = 1U << 20;  // no random trial has such a number
constexpr std::uint32_t trials_per_turn = 7;     // distance of the trials of two turns
// Magnitudes that are tried of large whole numbers, in bits.
constexpr std::array magnitudes{61, 52, 40, 31, 30, 26, 24, 20, 16, 14, 12};
// Limits of the reference's calls on all turns of a set together, and of their inputs.
constexpr double turns_ns = 0.1e9;
constexpr std::size_t turns_bytes = std::size_t{64} << 20;
const ExactEffort little_effort{
    .wanted = true, .least_runs = 6, .most_runs = 8, .budget_seconds = 0.02};

// Tells whether output i's standard says of any input which outputs are right.
bool is_known(const Trial& trial, std::size_t i) {
  const Standard& standard = trial.standards[i];
  if (std::holds_alternative<SameBits>(standard))
    return trial.reference.exact && !trial.reference.exact->outputs[i].is_uncertain;
  return std::holds_alternative<ErrorTolerance>(standard) ||
         std::holds_alternative<Codes>(standard) || std::holds_alternative<Choice>(standard) ||
         std::holds_alternative<Checked>(standard);
}

// Tells whether its floating values are what they are in random sets.
bool is_drawn_only(InputSet set) { return set >= InputSet::skewed; }
bool has_whole_numbers(InputSet set) { return set >= InputSet::large_integers; }
// Tells whether many of its numbers are equal.
bool has_equal_numbers(InputSet set) {
  return set == InputSet::exact || set == InputSet::mixed || set == InputSet::special;
}

std::string reason_against_outputs(const PreparedWorkload& out, InputSet set) {
  const auto& standards = out.trials.front().standards;
  for (std::size_t i = 0; i < standards.size(); ++i) {
    const std::string& name = out.problem.outputs[i].name;
    if (is_drawn(standards[i])) return fmt::format("output \"{}\" is drawn", name);
    if (!is_drawn_only(set) && !is_known(out.trials.front(), i))
      return fmt::format("output \"{}\" is judged by {}", name, name_of(standards[i]));
  }
  return "";
}

bool has_floats(const Problem& problem) {
  const auto is_float = [](const TensorPlan& tensor) {
    return info(tensor.dtype).kind == DTypeKind::floating;
  };
  return std::any_of(problem.outputs.begin(), problem.outputs.end(), is_float) ||
         std::any_of(problem.inputs.begin(), problem.inputs.end(),
                     [&](const InputPlan& input) { return is_float(input.tensor); });
}

// Returns why the set would not be fair, whatever it holds; "" where it may be.
std::string reason_before(const BoundWorkload& bound, const PreparedWorkload& out, InputSet set) {
  if (!bound.options.config.structured_inputs) return "the configuration says so";
  if (is_costly(out.trials.front())) return "the reference is slow, or the inputs are large";
  if (!is_drawn_only(set) && (!out.exact || out.exact->judged_against != "exact"))
    return "the reference's double answer is not what solutions are judged by";
  if (auto reason = reason_against_outputs(out, set); !reason.empty()) return reason;
  if (set == InputSet::large_integers && has_floats(out.problem))
    return "right programs differ in large numbers as floats";
  // Scores say what is right where the choice is an output.
  if (has_equal_numbers(set) && out.trials.front().reference.exact->uses_picks)
    return "something follows from which of equal numbers the reference chooses";
  return "";
}

constexpr std::string_view special_tag = "special_inputs";  // the setting's name

// Much honest arithmetic makes NaN of an infinity (a running maximum that begins with -∞): it is
// asked for what becomes of them where somebody says that they come up.
std::string reason_against_special(const BoundWorkload& bound, const PreparedWorkload& out) {
  const auto& standards = out.trials.front().standards;
  if (out.trials.front().check) return "an output is judged by check";
  if (!std::all_of(standards.begin(), standards.end(), [](const Standard& standard) {
        return std::holds_alternative<ErrorTolerance>(standard);
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

std::size_t not_finite(const TensorView& output) {
  std::vector<double> values(element_count(output.shape));
  decode(output.dtype, output.data, 0, std::span(values));
  return not_finite(values);
}

std::size_t not_finite(const ReferenceAnswer& answer) {
  std::size_t count = 0;
  if (!answer.exact) {
    for (const TensorView& output : answer.outputs) count += not_finite(output);
    return count;
  }
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

// Tells whether the reference itself makes other integers of numbers that are certain.
bool rounds_certain_numbers(const Trial& trial) {
  for (std::size_t i = 0; i < trial.standards.size(); ++i) {
    if (!std::holds_alternative<SameBits>(trial.standards[i]) || !is_known(trial, i)) continue;
    const TensorView &native = trial.reference.outputs[i],
                     &stored = trial.reference.exact->outputs[i].stored;
    if (native.bytes != stored.bytes ||
        !std::equal(native.data, native.data + native.bytes, stored.data))
      return true;
  }
  return false;
}

// Returns why the set is not fair; "" where it is.
std::string reason_against(const Trial& trial, const ExactRecord& record,
                           const PreparedWorkload& out) {
  const Trial& random = out.trials.front();
  if (!trial.reference.exact && random.reference.exact)
    return "there is no double answer: " + trial.reference.exact_absent;
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
  if (rounds_certain_numbers(trial)) return "the reference rounds what is an integer elsewhere";
  if (record.judged_against != out.exact->judged_against)
    return "the reference's own answer is further from the double one than honest arithmetic";
  return "";
}

constexpr const char* nothing_to_vary = "there is no input to vary";

// Makes the inputs; else the reason why there are none.
std::string make_inputs(const BoundWorkload& bound, const Structure& structure, int bits,
                        const PreparedWorkload& out, Inputs& inputs) {
  const PrepareOptions& options = bound.options;
  const Place line(bound.workload->path, bound.workload->line);
  const Skew skew = skew_of(structure.set, structure.turn);
  const bool is_whole = has_whole_numbers(structure.set);
  const bool is_skewed = is_drawn_only(structure.set) && !is_whole;
  if (is_skewed && !can_skew(bound.values, skew)) return nothing_to_vary;
  const std::uint32_t turn = structure.turn * trials_per_turn;
  Diagnostics problems;
  inputs = generate_inputs(
      out.problem, bound.values,
      {structure.seed, structure.trial + turn, options.root, options.threads, line, skew},
      problems);
  if (problems.errors() > 0) return problems.items().front().message;
  if (!is_drawn_only(structure.set) &&
      !restructure(*bound.definition, out.problem, bound.values, structure, inputs))
    return nothing_to_vary;
  adapt(out.problem, bound.values, bound.seen, structure, inputs);
  if (is_whole &&
      !make_whole_numbers(out.problem, bound.values, bound.seen, {structure, bits}, inputs))
    return nothing_to_vary;
  return !is_drawn_only(structure.set) ||
                 open_constraints_hold(out.problem, bound.values, inputs, line, problems)
             ? ""
             : "a constraint does not hold";
}

// Makes the inputs, with the largest whole numbers that the reference calculates with. Returns the
// reason why there are none.
std::string make_inputs(const BoundWorkload& bound, const Structure& structure,
                        ReferenceEvaluator& evaluator, const PreparedWorkload& out,
                        Inputs& inputs) {
  if (structure.set != InputSet::large_integers)
    return make_inputs(bound, structure, 0, out, inputs);
  for (const int bits : magnitudes) {
    std::string reason = make_inputs(bound, structure, bits, out, inputs);
    if (!reason.empty()) return reason;
    const ReferenceAnswer answer = evaluator.evaluate(*bound.definition, out.problem, inputs,
                                                      {.watch = true, .is_draft = true});
    const bool is_right = answer.outcome == ReferenceAnswer::Outcome::ok &&
                          !answer.watched.uses.empty() && !answer.watched.wraps;
    if (is_right) return "";
  }
  return "the reference calculates with no larger numbers";
}

// Nothing, and the reason, where the set is not fair.
std::optional<Trial> structured_trial(const BoundWorkload& bound, const Structure& structure,
                                      ReferenceEvaluator& evaluator, const PreparedWorkload& out,
                                      std::string& reason) {
  const Definition& definition = *bound.definition;
  Trial trial;
  trial.set = structure.set;
  reason = make_inputs(bound, structure, evaluator, out, trial.inputs);
  if (!reason.empty()) return std::nullopt;
  ExactEffort effort = little_effort;
  effort.decay_steps = bound.decay_steps;
  trial.reference = evaluator.evaluate(definition, out.problem, trial.inputs, {}, effort);
  if (trial.reference.outcome != ReferenceAnswer::Outcome::ok) {
    reason = "the reference does not answer: " + trial.reference.message;
    return std::nullopt;
  }
  trial.check = out.trials.front().check;
  ErrorTolerances made = error_tolerances_of(definition, out.problem, trial.inputs, trial.reference,
                                             {structure.set, checked_outputs(trial.check)});
  demand(made, out.problem, bound.options.config.judge_by);
  trial.standards = std::move(made.outputs);
  reason = reason_against(trial, made.record, out);
  if (reason.empty()) reason = reason_of_check(out.problem, trial);
  if (!reason.empty()) return std::nullopt;
  return trial;
}

// Number of turns in which each kind of row comes once, as far as it is worth it.
std::uint32_t turns_for(const BoundWorkload& bound, const PreparedWorkload& out, InputSet set) {
  const Trial& random = out.trials.front();
  if (has_whole_numbers(set)) return turns_of_whole_numbers(bound.seen, set);
  const std::uint32_t wanted = turns_of(*bound.definition, out.problem, bound.values, set);
  // Perturbed runs are as many as such a time is worth at fixed rates: a seed has the same sets on
  // a busy machine.
  const double by_time = random.reference.exact
                             ? std::max(random.reference.exact->perturbed_runs, 1)
                             : turns_ns / std::max(random.reference.call_ns, 1.0);
  const double by_size = static_cast<double>(turns_bytes) /
                         static_cast<double>(std::max<std::size_t>(random.inputs.memory.size(), 1));
  return static_cast<std::uint32_t>(
      std::clamp(std::min(by_time, by_size), 1.0, static_cast<double>(wanted)));
}

// "mixed", "mixed 2", …
std::string name_of_turn(InputSet set, std::uint32_t turn) {
  return turn == 0 ? std::string(set_name(set)) : fmt::format("{} {}", set_name(set), turn + 1);
}

void add_set(const BoundWorkload& bound, InputSet set, ReferenceEvaluator& evaluator,
             PreparedWorkload& out) {
  InputSetsRecord& record = *out.input_sets;
  Structure structure{set, out.seed, first_trial + static_cast<std::uint32_t>(set)};
  const std::uint32_t turns = turns_for(bound, out, set);
  for (; structure.turn < turns; ++structure.turn) {
    std::string reason;
    auto trial = structured_trial(bound, structure, evaluator, out, reason);
    const std::string name = name_of_turn(set, structure.turn);
    if (trial) {
      out.structured.push_back(std::move(*trial));
      record.used.push_back(name);
    } else {
      record.dropped[name] = reason;
      if (reason == nothing_to_vary) return;
    }
  }
}

}  // namespace

void add_structured(const BoundWorkload& bound, ReferenceEvaluator& evaluator,
                    PreparedWorkload& out) {
  InputSetsRecord& record = out.input_sets.emplace();
  for (const InputSet set : sets) {
    std::string reason = reason_before(bound, out, set);
    if (reason.empty() && set == InputSet::special) reason = reason_against_special(bound, out);
    if (reason.empty()) {
      add_set(bound, set, evaluator, out);
    } else {
      record.dropped[std::string(set_name(set))] = reason;
    }
  }
}

}  // namespace kbench
