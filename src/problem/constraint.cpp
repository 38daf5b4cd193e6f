#include "problem/constraint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"
#include "problem/constraint_value.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;
using Outcome = ConstraintResult::Outcome;
using Flaw = ExpressionFlaw;

std::string unsupported(std::string_view what) {
  return fmt::format("{} cannot be computed: only integers, axes, arithmetic and comparisons can",
                     what);
}

bool is_known(const ConstraintScope& scope, const std::string& name) {
  return scope.number(name) || scope.shape(name);
}

std::string comparison_flaw(const Expression& e) {
  const auto strange =
      std::find_if_not(e.comparators.begin(), e.comparators.end(),
                       [](const std::string& op) { return integer_comparison(op); });
  return strange == e.comparators.end() ? ""
                                        : unsupported(fmt::format("comparison '{}'", *strange));
}

std::string call_flaw(const Expression& e) {
  const Expression& callee = *e.operands[0];
  if (callee.kind != Node::name || is_one_of(callee.text, {"int", "len", "min", "max"})) return "";
  return unsupported(fmt::format("function {}", callee.text));
}

// Fractions are compared alone.
std::string binary_flaw(const Expression& e) {
  for (const auto& operand : e.operands)
    if (operand->kind == Node::number) return unsupported(operand->text);
  return integer_operator(e.text) ? "" : unsupported(fmt::format("operator {}", e.text));
}

// Returns the flaw of this node itself, "" when it has none.
std::string flaw_of(const Expression& e, const ConstraintScope& scope) {
  switch (e.kind) {
    case Node::name:
      return is_known(scope, e.text) ? "" : fmt::format("\"{}\" is no axis and no input", e.text);
    case Node::constant:
      return is_one_of(e.text, {"True", "False", "None"}) ? "" : unsupported(e.text);
    case Node::binary:
      return binary_flaw(e);
    case Node::comparison:
      return comparison_flaw(e);
    case Node::call:
      return call_flaw(e);
    case Node::number:
      return real_value(std::string_view(e.text)) ? "" : unsupported(e.text);
    case Node::string:
      return unsupported(e.text);
    case Node::other:
      return unsupported("this");
    default:
      return "";
  }
}

}  // namespace

std::string dtype_name(const Expression& e) {
  const bool is_dtype =
      e.kind == Node::attribute && e.text == "dtype" && e.operands[0]->kind == Node::name;
  return is_dtype ? e.operands[0]->text + ".dtype" : "";
}

std::optional<ExpressionFlaw> find_invalid_part(const Expression& e, const ConstraintScope& scope) {
  if (const std::string dtype = dtype_name(e); !dtype.empty() && scope.number(dtype))
    return std::nullopt;
  if (std::string message = flaw_of(e, scope); !message.empty())
    return ExpressionFlaw{&e, std::move(message), ""};
  const bool function = e.kind == Node::call && e.operands[0]->kind == Node::name;
  for (std::size_t i = function ? 1 : 0; i < e.operands.size(); ++i)
    if (auto flaw = find_invalid_part(*e.operands[i], scope)) return flaw;
  return std::nullopt;
}

ConstraintResult check_constraint(const std::string& constraint, const ConstraintScope& scope) {
  const auto parsed = python::parse_expression(constraint);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
    return {Outcome::invalid, error->message, {}};
  const Expression& expression = *std::get<python::ExpressionPtr>(parsed);
  if (const auto flaw = find_invalid_part(expression, scope))
    return {Outcome::invalid, flaw->message, {}};
  ConstraintResult result;
  const ConstraintValue value = constraint_value(expression, scope, &result.used_names);
  if (const auto* none = std::get_if<NoValue>(&value)) {
    result.outcome = none->outcome;
    result.message = none->message;
  } else {
    result.outcome = std::get<std::int64_t>(value) != 0 ? Outcome::holds : Outcome::violated;
  }
  return result;
}

namespace {

// Scope that knows every name of a Definition; what is not constant is 1.
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
  return {integer, shape};
}

// Scope that knows the constants of a Definition alone.
ConstraintScope constants_of(const Definition& definition) {
  const auto integer = [&definition](std::string_view name) -> std::optional<std::int64_t> {
    const Axis* axis = definition.axes.find(name);
    return axis == nullptr ? std::nullopt : const_value(*axis);
  };
  return {integer};
}

// Suggests what else a name may have meant.
std::string names_hint(const Definition& definition, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [axis, value] : definition.axes) known.push_back(axis);
  const std::string axes = "axes are " + join(known, ", ");
  for (const auto& [input, spec] : definition.inputs) known.push_back(input);
  const std::string guess = did_you_mean(name, known);
  return guess.empty() ? axes : guess;
}

std::optional<Flaw> find_zero_divisor(const Expression& e, const ConstraintScope& constants) {
  if (e.kind == Node::binary && is_one_of(e.text, {"/", "//", "%"}) &&
      integer_of(constraint_value(*e.operands[1], constants)) == 0)
    return Flaw{e.operands[1].get(), "division by zero", "the divisor is 0 in every workload"};
  for (const auto& operand : e.operands)
    if (auto flaw = find_zero_divisor(*operand, constants)) return flaw;
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
  if (integer_of(constraint_value(e, constants)) == 0)
    return Flaw{&e, "never holds", "no workload can be judged"};
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
