#include "tune/restriction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "problem/constraint_value.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

// Operands alone have values: conditions of configurations know nothing of tensors.
struct OperandLeaves {
  const std::vector<RestrictionName>& meanings;
  std::span<const RestrictionOperand> operands;

  IntegerValue name(std::size_t number) const {
    const auto* parameter = std::get_if<ParameterNumber>(&meanings[number]);
    if (parameter == nullptr) return {std::get<Number>(meanings[number])};
    const RestrictionOperand& operand = operands[parameter->number];
    return operand.is_integer ? IntegerValue{operand.value}
                              : IntegerValue{0, NoInteger::unknown_values};
  }
  static IntegerValue tensor(const Formula::Node& /*node*/, const IntegerValue& /*index*/) {
    return {0, NoInteger::unknown_values};
  }
};

}  // namespace

ConstraintResult::Outcome Restriction::evaluate(
    std::span<const RestrictionOperand> operands) const {
  const OperandLeaves leaves{meanings_, operands};
  const IntegerValue found = FormulaEvaluator(formula_, leaves).value();
  if (!found.has_value()) return outcome_of(found.flaw);
  return found.is_true() ? Outcome::holds : Outcome::violated;
}

std::variant<Restriction, RestrictionFlaw> compile_restriction(const std::string& text,
                                                               const NameLookup& names) {
  const auto parsed = python::parse_expression(text);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
    return RestrictionFlaw{error->message, error->offset};
  const python::Expression& expression = *std::get<python::ExpressionPtr>(parsed);
  const auto known = [&names](std::string_view name) -> std::optional<std::int64_t> {
    return names(name) ? std::optional<std::int64_t>(1) : std::nullopt;
  };
  if (const auto flaw = find_invalid_part(expression, {known})) {
    const bool is_name = flaw->part->kind == python::Expression::Kind::name;
    return RestrictionFlaw{
        is_name
            ? fmt::format("\"{}\" is no parameter and no axis, and has no whole value in this call",
                          flaw->part->text)
            : flaw->message,
        flaw->part->begin};
  }
  Restriction made;
  made.formula_ = compile_formula(expression);
  for (const std::string& name : made.formula_.names) {
    made.meanings_.push_back(names(name).value_or(RestrictionName{}));
    if (const auto* parameter = std::get_if<ParameterNumber>(&made.meanings_.back()))
      made.parameters_.push_back(parameter->number);
  }
  std::sort(made.parameters_.begin(), made.parameters_.end());
  return made;
}

RestrictionOperand operand_of(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return {*integer, true};
  if (const auto* truth = std::get_if<bool>(&value)) return {std::int64_t{*truth}, true};
  return {};
}

}  // namespace kbench
