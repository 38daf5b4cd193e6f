#include "judge/weak_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "judge/output_check.hpp"
#include "problem/element.hpp"
#include "schema/check_function.hpp"
#include "schema/detail_records.hpp"
#include "syntax/called.hpp"
#include "verdict/rules.hpp"
#include "verdict/trivial.hpp"

namespace kbench {
namespace {

Where place_of(const BoundWorkload& bound) {
  return Place(bound.workload->path, bound.workload->line).value("/workload");
}

std::vector<std::string> input_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const InputPlan& input : problem.inputs) names.push_back(input.tensor.name);
  return names;
}

// A copy, or the answer before, needs inputs that are tensors; of none, a constant is the right
// answer.
bool has_tensors(const Inputs& inputs) {
  return std::any_of(inputs.values.begin(), inputs.values.end(),
                     [](const BoundInput& input) { return !input.scalar; });
}

// A second call has the inputs of the first where all are fixed, however few were made.
std::vector<const Trial*> judged_trials(const PreparedWorkload& workload) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : workload.trials) trials.push_back(&trial);
  if (!workload.fresh && trials.size() == 1) trials.push_back(trials.front());
  for (const Trial& trial : workload.structured) trials.push_back(&trial);
  return trials;
}

bool check_accepts(const Problem& problem, const Trial& trial, std::size_t output,
                   const TensorView& answer) {
  std::vector<TensorView> outputs = trial.reference.outputs;
  outputs[output] = answer;
  return trial.check->judge(problem, trial.inputs, trial.reference, outputs).status ==
         Status::passed;
}

TrivialAnswers trivial_answers_of(const BoundWorkload& bound, const PreparedWorkload& workload) {
  std::vector<std::vector<NamedTensor>> inputs;
  std::vector<GateTrial> trials;
  for (const Trial* trial : judged_trials(workload)) {
    auto& tensors = inputs.emplace_back();
    for (const BoundInput& input : trial->inputs.values) {
      if (!input.scalar) tensors.push_back({input.name, input.tensor});
    }
    trials.push_back({{},
                      trial->reference.outputs,
                      trial->standards,
                      [&workload, trial](std::size_t output, const TensorView& answer) {
                        return check_accepts(workload.problem, *trial, output, answer);
                      }});
  }
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].inputs = inputs[i];
  const std::vector<std::string> names = output_names(workload.problem);
  const bool copies =
      python::only_copies(text_without_check(*bound.definition), input_names(workload.problem));
  return trivial_answers(*bound.options.rule,
                         verdict_context(workload.problem, names, bound.options.config), trials,
                         copies);
}

bool is_one_number(const TensorView& tensor) {
  const std::size_t bytes = static_cast<std::size_t>(info(tensor.dtype).bits) / 8;
  if (bytes == 0 || tensor.bytes <= bytes) return false;
  return std::equal(tensor.data + bytes, tensor.data + tensor.bytes, tensor.data);
}

double first_of(const TensorView& tensor) {
  double value = 0;
  decode(tensor.dtype, tensor.data, 0, std::span(&value, 1));
  return value;
}

// `every element of the stored input "w" is 0`, or "".
std::string constant_inputs(const PreparedWorkload& workload) {
  std::vector<std::string> texts;
  const auto& values = workload.trials.front().inputs.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_stored =
        std::holds_alternative<SafetensorsInput>(workload.problem.inputs[i].source);
    if (is_stored && is_one_number(values[i].tensor))
      texts.push_back(fmt::format("every element of the stored input \"{}\" is {}", values[i].name,
                                  first_of(values[i].tensor)));
  }
  return join(texts, ", ");
}

// Names of what is stored and could as well be random, quoted; or else all of it.
std::string stored_inputs(const Problem& problem) {
  std::vector<std::string> floating, all;
  for (const InputPlan& input : problem.inputs) {
    if (!std::holds_alternative<SafetensorsInput>(input.source)) continue;
    all.push_back("\"" + input.tensor.name + "\"");
    if (info(input.tensor.dtype).kind == DTypeKind::floating) floating.push_back(all.back());
  }
  return join(floating.empty() ? all : floating, " or ");
}

// "; an axis of 1 (k) may be why", or "".
std::string axes_of_one(const Problem& problem) {
  std::vector<std::string> names;
  for (const auto& [name, length] : problem.axes)
    if (length == 1) names.push_back(name);
  return names.empty() ? "" : fmt::format("; an axis of 1 ({}) may be why", join(names, ", "));
}

bool is_any(const std::vector<std::string>& names, std::string_view begin) {
  return std::any_of(names.begin(), names.end(), [begin](const std::string& name) {
    const auto colon = name.find(": ");
    return std::string_view(name).substr(colon == name.npos ? 0 : colon + 2).starts_with(begin);
  });
}

// Returns what would make the workload tell more.
std::string help_for(const PreparedWorkload& workload, const TrivialAnswers& found) {
  const std::vector<std::string>& names = found.names;
  const Problem& problem = workload.problem;
  if (const std::string constant = constant_inputs(workload); !constant.empty())
    return constant + ": store other values, or make it random";
  if (const std::string stored = stored_inputs(problem); !workload.fresh && !stored.empty())
    return fmt::format(
        "the workload fixes all inputs, so that an answer may be kept; what helps is "
        "{{\"type\": \"random\"}} in the place of {}, not another seed",
        stored);
  if (found.by_check)
    return "check() accepts that: it has to ask more of these outputs, beside the inputs";
  std::string help;
  if (is_any(names, "copy of"))
    help = problem.inputs.size() > 1
               ? "values of the other inputs by which the answer is another than this one may tell"
               : "values that the operation changes may tell, from a file";
  else if (is_any(names, "zeros") || is_any(names, "ones") || is_any(names, "previous"))
    help =
        "but for rounding the answer is the same whatever the random inputs are: larger axes, "
        "other "
        "values of inputs that are fixed, or another reference may tell" +
        axes_of_one(problem);
  else
    help = "but for rounding each row of the answer is one number: other inputs may tell" +
           axes_of_one(problem);
  return workload.fresh && workload.trials.size() == 1 ? help + "; or a larger num_trials" : help;
}

constexpr std::size_t block = 1024;

// Marks the elements that are NaN; nothing where none is.
std::vector<bool> nan_of(const TensorView& tensor) {
  std::vector<bool> found;
  if (info(tensor.dtype).kind != DTypeKind::floating) return found;
  const std::size_t count = element_count(tensor.shape);
  std::vector<double> values(std::min(block, count));
  for (std::size_t first = 0; first < count; first += values.size()) {
    const auto part = std::span(values).first(std::min(values.size(), count - first));
    decode(tensor.dtype, tensor.data, first, part);
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (!std::isnan(part[k])) continue;
      found.resize(count);
      found[first + k] = true;
    }
  }
  return found;
}

std::optional<ReferenceNan> described(const std::string& output, const TensorView& tensor) {
  const std::vector<bool> found = nan_of(tensor);
  if (found.empty()) return std::nullopt;
  ReferenceNan out;
  out.output = output;
  out.count = std::count(found.begin(), found.end(), true);
  out.elements = static_cast<std::int64_t>(found.size());
  out.where = misses_text(found, tensor.shape);
  if (out.where.empty()) {
    const auto first = std::find(found.begin(), found.end(), true) - found.begin();
    out.where = "first at " + place_text(static_cast<std::size_t>(first), tensor.shape);
  }
  return out;
}

// NaN of each output that has any: how many, and where, in the first of `trials` that makes some.
std::vector<ReferenceNan> nan_in_answers(const Problem& problem, std::span<const Trial> trials) {
  std::vector<ReferenceNan> out;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    std::optional<ReferenceNan> found;
    for (const Trial& trial : trials) {
      if (!found) found = described(problem.outputs[i].name, trial.reference.outputs[i]);
    }
    if (found) out.push_back(std::move(*found));
  }
  return out;
}

// "22 of 64 elements of output "y", first at [3]"
std::string nan_text(const ReferenceNan& found) {
  return fmt::format("{} of {} elements of output \"{}\", {}", found.count, found.elements,
                     found.output, found.where);
}

}  // namespace

void find_trivial_answers(const BoundWorkload& bound, PreparedWorkload& out,
                          Diagnostics& diagnostics) {
  const auto& outputs = out.problem.outputs;
  if (std::all_of(outputs.begin(), outputs.end(), [](const TensorPlan& one) {
        return !one.is_scalar && element_count(one.shape) == 0;
      })) {
    out.non_discriminating = {"zeros"};
    diagnostics.warning(place_of(bound),
                        fmt::format("workload {} of {} cannot tell right from wrong: its outputs "
                                    "have no element",
                                    out.problem.workload, out.problem.definition),
                        "leaderboard, gate and apply-table do not count its records "
                        "(non_discriminating)");
    return;
  }
  if (!has_tensors(out.trials.front().inputs)) return;
  const TrivialAnswers found = trivial_answers_of(bound, out);
  if (found.names.empty()) return;
  (found.everywhere ? out.non_discriminating : out.trivial_outputs) = found.names;
  const std::string returned = trivial_text(found.names);
  const std::string what =
      found.everywhere
          ? "cannot tell right from wrong: a program would pass that returns " + returned
          : "tells right from wrong in some outputs alone: in the others a program would pass that "
            "returns " +
                returned;
  const std::string_view rest = found.everywhere
                                    ? "leaderboard, gate and apply-table do not count its records "
                                      "(non_discriminating)"
                                    : "records say trivial_outputs";
  diagnostics.warning(
      place_of(bound),
      fmt::format("workload {} of {} {}", out.problem.workload, out.problem.definition, what),
      fmt::format("{}; {}", help_for(out, found), rest));
}

void tell_lost_answer(const BoundWorkload& bound, const PreparedWorkload& workload,
                      Diagnostics& diagnostics) {
  const ReferenceAnswer& first = workload.trials.front().reference;
  if (!first.has_exact_died) return;
  diagnostics.warning(
      place_of(bound),
      fmt::format("workload {} of {} is judged by the reference's native answer, since its double "
                  "run has died: {}",
                  workload.problem.workload, workload.problem.definition, first.exact_absent),
      "verdicts are less strict so; it is a fault of kbench, or of a library that the reference "
      "calls");
}

void find_reference_nan(const BoundWorkload& bound, PreparedWorkload& out,
                        Diagnostics& diagnostics) {
  out.reference_nan = nan_in_answers(out.problem, out.trials);
  const auto& tags = bound.definition->tags;
  const bool are_meant = std::find(tags.begin(), tags.end(), "special_outputs") != tags.end();
  if (out.reference_nan.empty() || are_meant) return;
  std::vector<std::string> texts;
  for (const ReferenceNan& found : out.reference_nan) texts.push_back(nan_text(found));
  diagnostics.warning(
      place_of(bound),
      fmt::format("workload {} of {}: the reference's answer is NaN in {}", out.problem.workload,
                  out.problem.definition, join(texts, "; ")),
      "a solution must have NaN there, too; where that is not meant, inputs from a file that the "
      "operation is defined for, or a reference that says what is right there; records say "
      "reference_nan");
}

}  // namespace kbench
