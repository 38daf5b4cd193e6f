#include "judge/output_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "problem/element.hpp"
#include "problem/origin.hpp"
#include "schema/check_function.hpp"
#include "syntax/called.hpp"

namespace kbench {
namespace {

// Limit of a margin, finite since JSON has no infinity.
constexpr double largest_margin = 1e9;

std::size_t place_of(const Problem& problem, std::string_view output) {
  const auto found = std::find_if(problem.outputs.begin(), problem.outputs.end(),
                                  [&](const TensorPlan& one) { return one.name == output; });
  return static_cast<std::size_t>(found - problem.outputs.begin());
}

CheckArgument of_input(const BoundInput& input) {
  return {input.name, input.scalar, input.tensor, false};
}

// The double answer where there is one, else the native one.
CheckArgument expected(const std::string& name, const ReferenceAnswer& reference,
                       std::size_t output) {
  const TensorView& native = reference.outputs[output];
  const ExactTensor* exact = reference.exact ? &reference.exact->outputs[output] : nullptr;
  const bool is_double = exact != nullptr && exact->is_floating && exact->shape == native.shape;
  if (!is_double) return {name, std::nullopt, native, false};
  return {name,
          std::nullopt,
          {native.dtype, native.shape, reinterpret_cast<const std::byte*>(exact->values.data()),
           exact->values.size_bytes()},
          true};
}

struct NanCount {
  std::size_t count = 0, first = 0;
};

NanCount count_nan(const TensorView& tensor) {
  NanCount out;
  if (info(tensor.dtype).kind != DTypeKind::floating) return out;
  std::vector<double> values(4096);
  const std::size_t total = element_count(tensor.shape);
  for (std::size_t at = 0; at < total; at += values.size()) {
    const auto part = std::span(values).first(std::min(values.size(), total - at));
    decode(tensor.dtype, tensor.data, at, part);
    for (std::size_t i = 0; i < part.size(); ++i)
      if (std::isnan(part[i]) && out.count++ == 0) out.first = at + i;
  }
  return out;
}

Verdict wrong(std::string detail) {
  Verdict verdict;
  verdict.margin = largest_margin;
  verdict.status = Status::incorrect_numerical;
  verdict.detail = std::move(detail);
  return verdict;
}

CheckAnswer ask_about_reference(const Problem& problem, const Trial& trial) {
  return trial.check->ask(problem, trial.inputs, trial.reference, trial.reference.outputs);
}

template <typename Table, typename Wanted>
std::string called(const python::Calls& calls, const Table& table, const Wanted& is_wanted) {
  std::vector<std::string> found;
  for (const auto& row : table) {
    if (is_wanted(row) && calls.attribute(row.name)) found.emplace_back(row.name);
  }
  return join(found, ", ");
}

ExpectedStandard expected(const std::string& name, DType dtype, const python::Calls& reference) {
  if (dtype == DType::float4_e2m1)
    return {name, "ties",
            "what the reference has where its inputs are moved a little, if that differs; else "
            "numbers"};
  if (info(dtype).kind == DTypeKind::floating)
    return {name, "numbers", "beside the double-precision answer, in units of honest errors"};
  if (info(dtype).kind == DTypeKind::integer) {
    if (const std::string by = called(reference, choosers, std::mem_fn(&Chooser::is_traced));
        !by.empty())
      return {name, "choice",
              fmt::format("by the scores of what is chosen, if it comes from {}; else ties or bits",
                          by)};
    if (const std::string by = called(reference, rounders, [](const Rounder&) { return true; });
        !by.empty())
      return {name, "codes",
              fmt::format("by the numbers before they are rounded, if it comes from {}; else ties "
                          "or bits",
                          by)};
    return {name, "ties",
            "what the reference has where its inputs are moved a little, if that differs; else "
            "bits"};
  }
  return {name, "bits", "equal to the reference's"};
}

}  // namespace

std::span<const std::string> checked_outputs(const std::shared_ptr<const OutputCheck>& check) {
  return check ? std::span<const std::string>(check->outputs()) : std::span<const std::string>();
}

std::shared_ptr<const OutputCheck> OutputCheck::of(const Definition& definition,
                                                   const OrderedMap<std::string>& judge_by,
                                                   ReferenceEvaluator& evaluator) {
  auto function = find_check(definition);
  if (!function) return nullptr;
  std::vector<std::string> outputs = function->outputs;
  std::erase_if(outputs, [&](const std::string& name) {
    const std::string* const wanted = judge_by.find(name);
    return wanted != nullptr && *wanted != "check";
  });
  if (outputs.empty()) return nullptr;
  return std::shared_ptr<const OutputCheck>(
      new OutputCheck(definition, *std::move(function), std::move(outputs), evaluator));
}

CheckAnswer OutputCheck::ask(const Problem& problem, const Inputs& inputs,
                             const ReferenceAnswer& reference,
                             std::span<const TensorView> outputs) const {
  std::vector<CheckArgument> arguments;
  for (const std::string& name : function_.arguments) {
    const auto input = std::find_if(inputs.values.begin(), inputs.values.end(),
                                    [&](const BoundInput& one) { return one.name == name; });
    const std::size_t output = place_of(problem, name);
    if (input != inputs.values.end())
      arguments.push_back(of_input(*input));
    else if (output < problem.outputs.size())
      arguments.push_back({name, std::nullopt, outputs[output], false});
    else
      arguments.push_back(
          expected(name, reference, place_of(problem, name.substr(expected_prefix.size()))));
  }
  CheckAnswer answer = evaluator_.check(definition_, arguments);
  if (answer.line == 0) answer.line = function_.line;
  return answer;
}

Verdict OutputCheck::judge(const Problem& problem, const Inputs& inputs,
                           const ReferenceAnswer& reference,
                           std::span<const TensorView> outputs) const {
  for (const std::string& name : outputs_) {
    const std::size_t i = place_of(problem, name);
    const NanCount nan = count_nan(outputs[i]);
    if (nan.count == 0 || count_nan(reference.outputs[i]).count > 0) continue;
    return wrong(fmt::format(
        "output \"{}\": {} of {} elements are NaN, and the reference has none; first at {}", name,
        nan.count, element_count(outputs[i].shape), place_text(nan.first, outputs[i].shape)));
  }
  CheckAnswer answer = ask(problem, inputs, reference, outputs);
  for (std::string* const text : {&answer.message, &answer.refusal})
    text->resize(std::min<std::size_t>(text->size(), 2000));
  if (answer.outcome != ReferenceOutcome::ok)  // the reference's own answer was no trouble to it
    return wrong(fmt::format("check() failed in line {}: {}", answer.line, answer.message));
  Verdict verdict = answer.refusal.empty() ? Verdict{} : wrong("check(): " + answer.refusal);
  // An answer that is false, or asserted in vain, has no share of a limit.
  if (answer.refusal.empty() || answer.residual > 1)
    verdict.margin = std::min(answer.residual, largest_margin);
  return verdict;
}

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

std::vector<ExpectedStandard> expected_standards(const Definition& definition) {
  const python::Calls reference(text_without_check(definition));
  const auto check = find_check(definition);
  std::vector<ExpectedStandard> out;
  for (const auto& [name, spec] : definition.outputs) {
    const bool is_checked = check && std::find(check->outputs.begin(), check->outputs.end(),
                                               name) != check->outputs.end();
    out.push_back(is_checked
                      ? ExpectedStandard{name, "check", "by the function check of the reference"}
                      : expected(name, spec.dtype, reference));
  }
  return out;
}

}  // namespace kbench
