#include "problem/constraint.hpp"

#include <fmt/format.h>

#include <optional>

#include "problem/constraint_value.hpp"
#include "problem/expression_flaw.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;
using Outcome = ConstraintResult::Outcome;
using Flaw = ExpressionFlaw;

}  // namespace

ConstraintResult check_constraint(const std::string& constraint, const ConstraintScope& scope) {
  const auto parsed = python::parse_expression(constraint);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
    return {Outcome::invalid, error->message, {}};
  const Expression& expression = *std::get<python::ExpressionPtr>(parsed);
  if (const auto flaw = find_invalid_part(expression, scope))
    return {Outcome::invalid, flaw->message, {}};
  ConstraintResult result;
  const ConstraintValue value = constraint_value(expression, scope, result.used_names);
  if (const auto* none = std::get_if<NoValue>(&value)) {
    result.outcome = none->outcome;
    result.message = none->message;
  } else {
    result.outcome = std::get<std::int64_t>(value) != 0 ? Outcome::holds : Outcome::violated;
  }
  return result;
}

namespace {

std::optional<std::int64_t> no_element(std::string_view, std::span<const std::int64_t>) {
  return std::nullopt;
}

// Knows every name of a Definition; what is not constant is 1.
ConstraintScope names_of(const Definition& definition) {
  const auto integer = [&definition](std::string_view name) -> std::optional<std::int64_t> {
    const Axis* axis = definition.axes.find(name);
    if (axis == nullptr) return std::nullopt;
    return const_value(*axis).value_or(1);
  };
  const auto shape =
      [&definition](std::string_view name) -> std::optional<std::vector<std::int64_t>> {
    for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
      if (const TensorSpec* spec = tensors->find(name))
        return std::vector<std::int64_t>(spec->shape ? spec->shape->size() : 0, 1);
    }
    return std::nullopt;
  };
  return {integer, shape, &no_element};
}

// Knows the constants of a Definition alone.
ConstraintScope constants_of(const Definition& definition) {
  const auto integer = [&definition](std::string_view name) -> std::optional<std::int64_t> {
    const Axis* axis = definition.axes.find(name);
    return axis == nullptr ? std::nullopt : const_value(*axis);
  };
  return {integer, [](std::string_view) { return std::nullopt; }, &no_element};
}

std::optional<std::int64_t> constant(const Expression& e, const ConstraintScope& constants) {
  std::vector<std::string> used;
  const ConstraintValue value = constraint_value(e, constants, used);
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

std::optional<Flaw> find_zero_divisor(const Expression& e, const ConstraintScope& constants) {
  if (e.kind == Node::binary && is_division(e.text) && constant(*e.operands[1], constants) == 0)
    return Flaw{e.operands[1].get(), "division by zero", "the divisor is 0 in every workload"};
  for (const auto& operand : e.operands) {
    if (auto flaw = find_zero_divisor(*operand, constants)) return flaw;
  }
  return std::nullopt;
}

std::optional<Flaw> find_flaw(const Definition& definition, const Expression& e) {
  if (auto flaw = find_invalid_part(e, names_of(definition))) {
    flaw->hint = flaw->part->kind == Node::name ? names_hint(definition, flaw->part->text)
                                                : "kbench run does not check this constraint";
    return flaw;
  }
  const ConstraintScope constants = constants_of(definition);
  if (auto flaw = find_zero_divisor(e, constants)) return flaw;
  if (constant(e, constants) == 0) return Flaw{&e, "never holds", "no workload can be judged"};
  return std::nullopt;
}

}  // namespace

std::vector<ConstraintProblem> constraint_problems(const Definition& definition) {
  std::vector<ConstraintProblem> problems;
  for (std::size_t i = 0; i < definition.constraints.size(); ++i) {
    const std::string& text = definition.constraints[i];
    const auto parsed = python::parse_expression(text);
    const auto* expression = std::get_if<python::ExpressionPtr>(&parsed);
    if (expression == nullptr) continue;
    if (auto flaw = find_flaw(definition, **expression)) {
      problems.push_back({i, flaw->part->begin,
                          fmt::format("constraint \"{}\": {}", text, flaw->message),
                          std::move(flaw->hint)});
    }
  }
  return problems;
}

}  // namespace kbench
