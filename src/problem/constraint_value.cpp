#include "problem/constraint_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/words.hpp"
#include "problem/constraint.hpp"

namespace kbench {
namespace {

template <class Kind, std::size_t size>
std::optional<Kind> kind_of(std::string_view token,
                            const std::array<std::pair<std::string_view, Kind>, size>& kinds) {
  for (const auto& [text, kind] : kinds) {
    if (text == token) return kind;
  }
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

// a / b, a // b or a % b
IntegerValue divide(IntegerOperator op, std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, NoInteger::division_by_zero};
  if (a == INT64_MIN && b == -1) return {0, NoInteger::too_large};
  const std::int64_t rest = a % b;  // of the sign of a; Python's has that of b
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

bool compare(IntegerComparison op, std::int64_t a, std::int64_t b) {
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

namespace {

using python::Expression;
using Node = Expression::Kind;
using Outcome = ConstraintResult::Outcome;
using Value = ConstraintValue;

NoValue undefined(std::string message) { return {Outcome::undefined, std::move(message)}; }
NoValue unchecked(std::string message) { return {Outcome::unchecked, std::move(message)}; }
NoValue too_large() { return unchecked("the value exceeds 64 bits"); }
NoValue open(std::string message) { return {Outcome::open, std::move(message)}; }

Value integer_or_reason(IntegerValue result, std::int64_t a, std::int64_t b) {
  switch (result.flaw) {
    case NoInteger::none:
      return result.value;
    case NoInteger::too_large:
      return too_large();
    case NoInteger::division_by_zero:
      return undefined("division by zero");
    case NoInteger::fraction:
      return unchecked(fmt::format("{} / {} is no integer; write // to round down", a, b));
    default:
      return unchecked("a negative exponent gives no integer");
  }
}

// No operator other than those of integer_operator gets past find_invalid_part().
Value arithmetic(std::string_view token, std::int64_t a, std::int64_t b) {
  const auto op = integer_operator(token);
  return op ? integer_or_reason(calculate(*op, a, b), a, b) : unchecked("it is no integer");
}

// tensor.shape[…]
bool is_shape(const Expression& subscripted) {
  return subscripted.kind == Node::attribute && subscripted.text == "shape" &&
         subscripted.operands[0]->kind == Node::name;
}

class ConstraintEvaluator {
 public:
  ConstraintEvaluator(const ConstraintScope& scope, std::vector<std::string>& used)
      : scope_(scope), used_(used) {}

  Value evaluate(const Expression& e) {
    switch (e.kind) {
      case Node::integer:
        return integer(e);
      case Node::constant:
        return std::int64_t{e.text == "True"};
      case Node::name:
        return name(e.text);
      case Node::unary:
        return unary(e);
      case Node::binary:
        return binary(e);
      case Node::comparison:
        return comparison(e);
      case Node::boolean:
        return boolean(e);
      case Node::conditional:
        return conditional(e);
      case Node::subscript:
        return subscript(e);
      case Node::call:
        return call(e);
      case Node::attribute:
        return attribute(e);
      default:
        return unchecked("it is no integer");
    }
  }

 private:
  Value integer(const Expression& e) {
    if (e.text.size() >= 19) return too_large();
    return static_cast<std::int64_t>(e.value);
  }

  Value name(const std::string& text) {
    if (const auto value = scope_.integer(text)) {
      if (std::find(used_.begin(), used_.end(), text) == used_.end()) used_.push_back(text);
      return *value;
    }
    return open(fmt::format("speaks of the values of '{}'", text));
  }

  // tensor.dtype is a name with a dot.
  Value attribute(const Expression& e) {
    if (const std::string dtype = dtype_name(e); !dtype.empty()) return name(dtype);
    return open(fmt::format("speaks of the tensor attribute .{}", e.text));
  }

  Value unary(const Expression& e) {
    const Value operand = evaluate(*e.operands[0]);
    const auto* value = std::get_if<std::int64_t>(&operand);
    if (value == nullptr) return operand;
    if (e.text == "not") return std::int64_t{*value == 0};
    if (e.text == "-") return arithmetic("-", 0, *value);
    if (e.text == "+") return *value;
    return ~*value;
  }

  Value binary(const Expression& e) {
    const Value left = evaluate(*e.operands[0]);
    if (std::holds_alternative<NoValue>(left)) return left;
    const Value right = evaluate(*e.operands[1]);
    if (std::holds_alternative<NoValue>(right)) return right;
    return arithmetic(e.text, std::get<std::int64_t>(left), std::get<std::int64_t>(right));
  }

  Value comparison(const Expression& e) {
    Value left = evaluate(*e.operands[0]);
    for (std::size_t i = 0; i < e.comparators.size(); ++i) {
      if (std::holds_alternative<NoValue>(left)) return left;
      const Value right = evaluate(*e.operands[i + 1]);
      if (std::holds_alternative<NoValue>(right)) return right;
      const auto op = integer_comparison(e.comparators[i]);
      if (!op) return unchecked("it is no integer");
      if (!compare(*op, std::get<std::int64_t>(left), std::get<std::int64_t>(right)))
        return std::int64_t{0};
      left = right;
    }
    return std::int64_t{1};
  }

  // One decisive operand decides, also beside one whose value is open; what stands behind an open
  // one may never be asked for.
  Value boolean(const Expression& e) {
    const bool is_or = e.text == "or";
    std::optional<NoValue> stuck;
    Value last = std::int64_t{!is_or};
    for (const auto& operand : e.operands) {
      const Value value = evaluate(*operand);
      if (const auto* reason = std::get_if<NoValue>(&value)) {
        if (!stuck && reason->outcome != Outcome::open) return value;
        stuck = stuck.value_or(*reason);
        continue;
      }
      last = value;
      if ((std::get<std::int64_t>(value) != 0) == is_or) return value;
    }
    return stuck ? Value(*stuck) : last;
  }

  Value conditional(const Expression& e) {
    const Value condition = evaluate(*e.operands[1]);
    if (std::holds_alternative<NoValue>(condition)) return condition;
    return evaluate(*e.operands[std::get<std::int64_t>(condition) != 0 ? 0 : 2]);
  }

  // tensor.shape[i] and tensor[i]
  Value subscript(const Expression& e) {
    const Expression& base = *e.operands[0];
    const Expression& tensor = is_shape(base) ? *base.operands[0] : base;
    if (tensor.kind != Node::name) return open("speaks of tensor values");
    const auto sizes = scope_.shape(tensor.text);
    const Value index_value = evaluate(*e.operands[1]);
    if (!sizes || std::holds_alternative<NoValue>(index_value))
      return open(fmt::format("speaks of the values of '{}'", tensor.text));
    const std::int64_t index = std::get<std::int64_t>(index_value);
    if (!is_shape(base)) return element(tensor.text, index);
    const auto rank = static_cast<std::int64_t>(sizes->size());
    if (index < -rank || index >= rank)
      return undefined(fmt::format("'{}' has {} axes", tensor.text, rank));
    return (*sizes)[static_cast<std::size_t>(index < 0 ? index + rank : index)];
  }

  Value element(const std::string& tensor, std::int64_t index) {
    if (const auto value = scope_.element(tensor, std::span(&index, 1))) return *value;
    return open(fmt::format("speaks of the values of '{}'", tensor));
  }

  // min(a, b, …) and max(a, b, …)
  Value extreme(const Expression& e) {
    const auto is_better =
        e.operands[0]->text == "min" ? IntegerComparison::less : IntegerComparison::greater;
    Value best = evaluate(*e.operands[1]);
    for (std::size_t i = 2; i < e.operands.size(); ++i) {
      if (std::holds_alternative<NoValue>(best)) return best;
      const Value next = evaluate(*e.operands[i]);
      if (std::holds_alternative<NoValue>(next) ||
          compare(is_better, std::get<std::int64_t>(next), std::get<std::int64_t>(best)))
        best = next;
    }
    return best;
  }

  // int(x), len(tensor), min and max
  Value function(const std::string& name, const Expression& e) {
    if (is_one_of(name, {"min", "max"}) && e.operands.size() > 2) return extreme(e);
    if (e.operands.size() == 2 && name == "int") return evaluate(*e.operands[1]);
    if (e.operands.size() == 2 && name == "len" && e.operands[1]->kind == Node::name) {
      const auto sizes = scope_.shape(e.operands[1]->text);
      if (sizes && !sizes->empty()) return sizes->front();
    }
    return open("calls a function");
  }

  Value call(const Expression& e) {
    const Expression& callee = *e.operands[0];
    if (callee.kind == Node::attribute && callee.text == "item" && e.operands.size() == 1)
      return evaluate(*callee.operands[0]);
    return callee.kind == Node::name ? function(callee.text, e) : open("calls a function");
  }

  const ConstraintScope& scope_;
  std::vector<std::string>& used_;
};

}  // namespace

ConstraintValue constraint_value(const python::Expression& expression, const ConstraintScope& scope,
                                 std::vector<std::string>& used_names) {
  return ConstraintEvaluator(scope, used_names).evaluate(expression);
}

}  // namespace kbench
