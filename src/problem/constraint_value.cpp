#include "problem/constraint_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "problem/formula.hpp"

namespace kbench {
namespace {

template <class Kind, std::size_t size>
std::optional<Kind> kind_of(std::string_view token,
                            const std::array<std::pair<std::string_view, Kind>, size>& kinds) {
  for (const auto& [text, kind] : kinds)
    if (text == token) return kind;
  return std::nullopt;
}

IntegerValue power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0)
    return {0, base == 0 ? NoInteger::division_by_zero : NoInteger::negative_exponent};
  IntegerValue result{1};
  for (std::int64_t i = 0; i < exponent && result.value != 0; ++i) {
    if ((base == 1 || base == -1) && i == exponent % 2) return result;  // nothing changes any more
    if (__builtin_mul_overflow(result.value, base, &result.value)) return {0, NoInteger::too_large};
  }
  return result;
}

// Returns a / b, a // b or a % b.
IntegerValue divide(IntegerOperator op, std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, NoInteger::division_by_zero};
  if (a == INT64_MIN && b == -1) return {0, NoInteger::too_large};
  const std::int64_t rest = a % b;  // C's has the sign of a, Python's that of b
  const bool is_below = rest != 0 && (rest < 0) != (b < 0);
  if (op == IntegerOperator::modulo) return {is_below ? rest + b : rest};
  if (op == IntegerOperator::divide && rest != 0) return {0, NoInteger::fraction};
  return {a / b - (is_below ? 1 : 0)};
}

}  // namespace

std::optional<IntegerOperator> integer_operator(std::string_view token) {
  using enum IntegerOperator;
  return kind_of(token,
                 std::to_array<std::pair<std::string_view, IntegerOperator>>({{"+", add},
                                                                              {"-", subtract},
                                                                              {"*", multiply},
                                                                              {"/", divide},
                                                                              {"//", floor_divide},
                                                                              {"%", modulo},
                                                                              {"**", power}}));
}

std::optional<IntegerComparison> integer_comparison(std::string_view token) {
  using enum IntegerComparison;
  return kind_of(token, std::to_array<std::pair<std::string_view, IntegerComparison>>(
                            {{"==", equal},
                             {"!=", unequal},
                             {"<", less},
                             {"<=", less_or_equal},
                             {">", greater},
                             {">=", greater_or_equal}}));
}

IntegerValue calculate(IntegerOperator op, std::int64_t a, std::int64_t b) {
  IntegerValue result;
  bool overflow = false;
  switch (op) {
    case IntegerOperator::add:
      overflow = __builtin_add_overflow(a, b, &result.value);
      break;
    case IntegerOperator::subtract:
      overflow = __builtin_sub_overflow(a, b, &result.value);
      break;
    case IntegerOperator::multiply:
      overflow = __builtin_mul_overflow(a, b, &result.value);
      break;
    case IntegerOperator::power:
      return power(a, b);
    default:
      return divide(op, a, b);
  }
  return overflow ? IntegerValue{0, NoInteger::too_large} : result;
}

bool compare(IntegerComparison op, const Number& a, const Number& b) {
  switch (op) {
    case IntegerComparison::equal:
      return a == b;
    case IntegerComparison::unequal:
      return a != b;
    case IntegerComparison::less:
      return a < b;
    case IntegerComparison::less_or_equal:
      return a <= b;
    case IntegerComparison::greater:
      return a > b;
    default:
      return a >= b;
  }
}

std::optional<Number> real_value(double number) {
  constexpr double most = 9007199254740992;  // 2^53: larger ones have no fractions to lose
  if (!(std::abs(number) <= most)) return std::nullopt;
  const double whole = std::floor(number), rest = std::ceil(std::ldexp(number - whole, 62));
  return Number(static_cast<std::int64_t>(whole), static_cast<std::int64_t>(rest));
}

std::optional<Number> real_value(std::string_view literal) {
  double number = 0;
  const char* const end = literal.data() + literal.size();
  const auto [last, error] = std::from_chars(literal.data(), end, number);
  return error == std::errc() && last == end ? real_value(number) : std::nullopt;
}

double real_of(const Number& number) {
  return static_cast<double>(number.value) + std::ldexp(static_cast<double>(number.part), -62);
}

std::string number_text(const Number& number) {
  if (number.part == 0) return std::to_string(number.value);
  return fmt::format("{}", real_of(number));
}

namespace {

using Outcome = ConstraintResult::Outcome;

// The values of names by a scope, which notes those that took part.
struct ScopeLeaves {
  const Formula& formula;
  const ConstraintScope& scope;
  std::vector<std::string>& used;

  IntegerValue name(std::size_t number) const {
    const std::string& text = formula.names[number];
    const auto value = scope.number(text);
    if (!value) return {0, NoInteger::unknown_values};
    if (std::find(used.begin(), used.end(), text) == used.end()) used.push_back(text);
    return {*value};
  }

  IntegerValue tensor(const Formula::Node& node, const IntegerValue& index) const {
    const std::string& text = formula.names[static_cast<std::size_t>(node.value)];
    const auto sizes = scope.shape(text);
    if (node.code == Formula::Code::length)
      return sizes && !sizes->empty() ? IntegerValue{sizes->front()}
                                      : IntegerValue{0, NoInteger::function};
    if (!sizes || !index.has_value()) return {0, NoInteger::unknown_values};
    if (node.code == Formula::Code::element) {
      const auto value = scope.element(text, std::span(&index.value, 1));
      return value ? IntegerValue{*value} : IntegerValue{0, NoInteger::unknown_values};
    }
    const auto rank = static_cast<std::int64_t>(sizes->size());
    const std::int64_t at = index.value < 0 ? index.value + rank : index.value;
    if (at < 0 || at >= rank) return {0, NoInteger::no_axis};
    return {(*sizes)[static_cast<std::size_t>(at)]};
  }
};

std::string text_of(const IntegerValue& none, const ScopeLeaves& leaves) {
  const Formula& formula = leaves.formula;
  const Formula::Node& node = formula.nodes[none.node];
  const auto named = [&] { return formula.names[static_cast<std::size_t>(node.value)]; };
  const auto operand = [&](std::uint32_t i) {
    return FormulaEvaluator(formula, leaves).value(formula.child(node, i)).value;
  };
  switch (none.flaw) {
    case NoInteger::division_by_zero:
      return "division by zero";
    case NoInteger::no_axis:
      return fmt::format("'{}' has {} axes", named(), leaves.scope.shape(named())->size());
    case NoInteger::too_large:
      return "the value exceeds 64 bits";
    case NoInteger::fraction:
      return fmt::format("{} / {} is no integer; write // to round down", operand(0), operand(1));
    case NoInteger::negative_exponent:
      return "a negative exponent gives no integer";
    case NoInteger::unknown_values:
      return fmt::format("speaks of the values of '{}'", named());
    case NoInteger::attribute:
      return fmt::format("speaks of the tensor attribute .{}",
                         formula.words[static_cast<std::size_t>(node.value)]);
    case NoInteger::tensor_values:
      return "speaks of tensor values";
    case NoInteger::function:
      return "calls a function";
    default:
      return "it is no integer";
  }
}

}  // namespace

Outcome outcome_of(NoInteger flaw) {
  if (is_open(flaw)) return Outcome::open;
  if (flaw == NoInteger::division_by_zero || flaw == NoInteger::no_axis) return Outcome::undefined;
  return Outcome::unchecked;
}

ConstraintValue constraint_value(const python::Expression& expression, const ConstraintScope& scope,
                                 std::vector<std::string>* used_names) {
  std::vector<std::string> unheard;
  const Formula formula = compile_formula(expression);
  const ScopeLeaves leaves{formula, scope, used_names != nullptr ? *used_names : unheard};
  const IntegerValue found = FormulaEvaluator(formula, leaves).value();
  if (found.part != 0)  // as a condition it is true
    return NoValue{Outcome::holds, fmt::format("is {}, no integer", number_text(found))};
  if (found.has_value()) return found.value;
  return NoValue{outcome_of(found.flaw), text_of(found, leaves)};
}

ConstraintValue constraint_value(std::string_view text, const ConstraintScope& scope) {
  const auto parsed = python::parse_expression(text);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
    return NoValue{Outcome::invalid, error->message};
  return constraint_value(*std::get<python::ExpressionPtr>(parsed), scope);
}

std::optional<std::int64_t> integer_of(const ConstraintValue& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

}  // namespace kbench
