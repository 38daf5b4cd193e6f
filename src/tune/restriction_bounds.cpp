// Interval arithmetic that tells whether a restriction may hold while some parameters have no value
// yet: it says "perhaps" too often and "no" never wrongly.
#include <algorithm>
#include <array>

#include "problem/constraint_value.hpp"
#include "tune/restriction.hpp"

namespace kbench {
namespace {

using Node = Formula::Node;
using enum Formula::Code;

constexpr IntegerRange anything{};
constexpr IntegerRange yes{1, 1};
constexpr IntegerRange no{0, 0};
constexpr IntegerRange either{0, 1};

IntegerRange hull(IntegerRange a, IntegerRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// Returns the range that the corners span, for an operator that is monotonic in each operand.
IntegerRange of_corners(IntegerOperator op, IntegerRange a, IntegerRange b) {
  const std::array corners{calculate(op, a.low, b.low), calculate(op, a.low, b.high),
                           calculate(op, a.high, b.low), calculate(op, a.high, b.high)};
  IntegerRange range{INT64_MAX, INT64_MIN};
  for (const IntegerValue& corner : corners) {
    if (corner.flaw != NoInteger::none) return anything;
    range = hull(range, {corner.value, corner.value});
  }
  return range;
}

IntegerRange calculated(IntegerOperator op, IntegerRange a, IntegerRange b) {
  if (op == IntegerOperator::divide)
    op = IntegerOperator::floor_divide;  // its value, where it has one, is that rounded down
  if (a.is_point() && b.is_point()) return of_corners(op, a, b);
  switch (op) {
    case IntegerOperator::floor_divide:
      return b.has_zero() ? anything : of_corners(op, a, b);
    case IntegerOperator::modulo:
      return b.low > 0 ? IntegerRange{0, b.high - 1} : anything;
    case IntegerOperator::power:
      return a.low >= 1 && b.low >= 0 ? of_corners(op, a, b) : anything;
    default:
      return of_corners(op, a, b);
  }
}

IntegerRange negation(IntegerRange truth) {
  if (!truth.has_zero()) return no;
  return truth.is_point() ? yes : either;
}

IntegerRange compared(IntegerComparison op, IntegerRange a, IntegerRange b) {
  switch (op) {
    case IntegerComparison::equal:
      if (a.high < b.low || b.high < a.low) return no;
      return a.is_point() && b.is_point() ? yes : either;
    case IntegerComparison::unequal:
      return negation(compared(IntegerComparison::equal, a, b));
    case IntegerComparison::less:
      if (a.high < b.low) return yes;
      return a.low >= b.high ? no : either;
    case IntegerComparison::greater:
      return compared(IntegerComparison::less, b, a);
    case IntegerComparison::less_or_equal:
      return negation(compared(IntegerComparison::less, b, a));
    default:
      return negation(compared(IntegerComparison::less, a, b));
  }
}

}  // namespace

class RestrictionBounds {
 public:
  RestrictionBounds(const Restriction& restriction, std::span<const IntegerRange> ranges)
      : restriction_(restriction), ranges_(ranges) {}

  IntegerRange whole() const { return of(restriction_.formula_.nodes.back()); }

 private:
  IntegerRange of(const Node& node) const {
    switch (node.code) {
      case number:
        return {node.value, node.value};
      case name:
        return meant(restriction_.meanings_[static_cast<std::size_t>(node.value)]);
      case arithmetic:
        return calculated(static_cast<IntegerOperator>(node.detail), operand(node, 0),
                          operand(node, 1));
      case comparison:
        return chain(node);
      case logical_or:
      case logical_and:
        return joined(node);
      case conditional:
        return chosen(node);
      case size:
      case element:
      case length:
      case no_value:
        return anything;
      default:
        return simple(node);
    }
  }

  IntegerRange operand(const Node& node, std::uint32_t i) const {
    return of(restriction_.formula_.nodes[restriction_.formula_.child(node, i)]);
  }

  IntegerRange meant(const RestrictionName& name) const {
    if (const auto* parameter = std::get_if<ParameterNumber>(&name))
      return ranges_[parameter->number];
    const Number& fact = std::get<Number>(name);
    return fact.part == 0 ? IntegerRange{fact.value, fact.value} : anything;
  }

  IntegerRange simple(const Node& node) const {
    if (node.code == fraction) return anything;
    IntegerRange range = operand(node, 0);
    if (node.code == invert) return {~range.high, ~range.low};
    if (node.code == logical_not) return negation(range);
    for (std::uint32_t i = 1; i < node.count; ++i) {
      const IntegerRange next = operand(node, i);
      range = node.code == minimum
                  ? IntegerRange{std::min(range.low, next.low), std::min(range.high, next.high)}
                  : IntegerRange{std::max(range.low, next.low), std::max(range.high, next.high)};
    }
    return range;
  }

  IntegerRange chain(const Node& node) const {
    IntegerRange all = yes;
    IntegerRange left = operand(node, 0);
    for (std::uint32_t i = 1; i < node.count; i += 2) {
      const IntegerRange right = operand(node, i + 1);
      const auto op = static_cast<IntegerComparison>(restriction_.formula_.child(node, i));
      const IntegerRange one = compared(op, left, right);
      if (!one.is_point()) all = either;
      if (one.is_point() && one.has_zero()) return no;
      left = right;
    }
    return all;
  }

  // Values of `and` and `or` are those of an operand, as in Python. One that is surely 0 keeps an
  // `and` from holding, whatever stands before it.
  IntegerRange joined(const Node& node) const {
    const bool is_or = node.code == logical_or;
    IntegerRange range{INT64_MAX, INT64_MIN};
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const IntegerRange next = operand(node, i);
      const bool is_false = next.is_point() && next.has_zero();
      if (!is_or && is_false) return no;
      const bool is_passed = is_or ? is_false : !next.has_zero();
      if (!is_passed || i + 1 == node.count) range = hull(range, next);
      if (is_or && !next.has_zero()) break;
    }
    return range;
  }

  IntegerRange chosen(const Node& node) const {
    const IntegerRange condition = operand(node, 1);
    if (!condition.has_zero()) return operand(node, 0);
    if (condition.is_point()) return operand(node, 2);
    return hull(operand(node, 0), operand(node, 2));
  }

  const Restriction& restriction_;
  std::span<const IntegerRange> ranges_;
};

bool Restriction::may_hold(std::span<const IntegerRange> ranges) const {
  const IntegerRange value = RestrictionBounds(*this, ranges).whole();
  return !(value.is_point() && value.has_zero());
}

}  // namespace kbench
