// An expression of a constraint, a condition or a size, compiled once: its value, its bounds and
// its C++ text are made from these nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/constraint_value.hpp"
#include "syntax/python.hpp"

namespace kbench {

struct Formula {
  enum class Code : std::uint8_t {
    number,
    fraction,  // its operand is a number: the rest beyond `value`
    name,
    size,      // names[value].shape[operand]
    element,   // names[value][operand]
    length,    // len(names[value])
    no_value,  // detail: its NoInteger; value: index of an attribute in `words`
    invert,    // ~a
    logical_not,
    arithmetic,  // detail: IntegerOperator
    comparison,  // operands, and between each two the number of their IntegerComparison
    logical_or,
    logical_and,
    conditional,  // value if true, condition, value if false
    minimum,
    maximum,
  };
  struct Node {
    Code code = Code::number;
    std::uint8_t detail = 0;
    std::uint32_t first = 0;  // operands: a run of `children`
    std::uint32_t count = 0;
    std::int64_t value = 0;
  };

  std::vector<Node> nodes;  // operands stand before their operators; the last node is the whole
  std::vector<std::uint32_t> children;
  std::vector<std::string> names;  // names, each once, in the order of the text: "n", "x.dtype"
  std::vector<std::string> words;  // attributes that are no names

  std::uint32_t whole() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
  std::uint32_t child(const Node& node, std::uint32_t i) const { return children[node.first + i]; }
};

// Parts that are no integers, arithmetic and comparisons have no value.
Formula compile_formula(const python::Expression& expression);

// `Leaves` gives the values of names, by their numbers: `IntegerValue name(number)`, and
// `IntegerValue tensor(node, index)` of what a node says of a tensor. A bool is 0 or 1.
template <class Leaves>
class FormulaEvaluator {
 public:
  FormulaEvaluator(const Formula& formula, const Leaves& leaves)
      : formula_(formula), leaves_(leaves) {}

  IntegerValue value() const { return value(formula_.whole()); }

  IntegerValue value(std::uint32_t index) const {
    IntegerValue found = value_of(formula_.nodes[index]);
    if (!found.has_value() && found.node == IntegerValue::nowhere) found.node = index;
    return found;
  }

 private:
  using Node = Formula::Node;

  IntegerValue value_of(const Node& node) const {
    using enum Formula::Code;
    switch (node.code) {
      case number:
        return {node.value};
      case fraction:
        return {{node.value, formula_.nodes[formula_.child(node, 0)].value}};
      case name:
        return leaves_.name(static_cast<std::size_t>(node.value));
      case no_value:
        return {0, static_cast<NoInteger>(node.detail)};
      case arithmetic:
        return calculated(node);
      case comparison:
        return compared(node);
      case size:
      case element:
      case length:
        return leaves_.tensor(node, node.count == 0 ? IntegerValue{} : operand(node, 0));
      default:
        return of_operands(node);
    }
  }

  IntegerValue of_operands(const Node& node) const {
    using enum Formula::Code;
    switch (node.code) {
      case logical_or:
      case logical_and:
        return decided(node, node.code == logical_or);
      case conditional:
        return chosen(node);
      case minimum:
        return extreme(node, IntegerComparison::less);
      case maximum:
        return extreme(node, IntegerComparison::greater);
      default:
        return unary(node);
    }
  }

  IntegerValue operand(const Node& node, std::uint32_t i) const {
    return value(formula_.child(node, i));
  }

  IntegerValue unary(const Node& node) const {
    const IntegerValue a = operand(node, 0);
    if (!a.has_value()) return a;
    if (node.code == Formula::Code::logical_not) return {std::int64_t{!a.is_true()}};
    return a.part == 0 ? IntegerValue{~a.value} : IntegerValue{0, NoInteger::no_integer};
  }

  IntegerValue calculated(const Node& node) const {
    const IntegerValue left = operand(node, 0);
    if (!left.has_value()) return left;
    const IntegerValue right = operand(node, 1);
    if (!right.has_value()) return right;
    if (left.part != 0 || right.part != 0) return {0, NoInteger::no_integer};
    return calculate(static_cast<IntegerOperator>(node.detail), left.value, right.value);
  }

  IntegerValue compared(const Node& node) const {
    IntegerValue left = operand(node, 0);
    for (std::uint32_t i = 1; i < node.count; i += 2) {
      if (!left.has_value()) return left;
      const IntegerValue right = operand(node, i + 1);
      if (!right.has_value()) return right;
      const auto op = static_cast<IntegerComparison>(formula_.child(node, i));
      if (!compare(op, left, right)) return {0};
      left = right;
    }
    return {1};
  }

  // One decisive operand decides, also beside one whose value is open; what stands behind an open
  // one may never be asked for.
  IntegerValue decided(const Node& node, bool is_or) const {
    IntegerValue stuck, last{is_or ? 0 : 1};
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const IntegerValue one = operand(node, i);
      if (!one.has_value()) {
        if (stuck.has_value() && !is_open(one.flaw)) return one;
        if (stuck.has_value()) stuck = one;
        continue;
      }
      last = one;
      if (one.is_true() == is_or) return one;
    }
    return stuck.has_value() ? last : stuck;
  }

  IntegerValue chosen(const Node& node) const {
    const IntegerValue condition = operand(node, 1);
    return condition.has_value() ? operand(node, condition.is_true() ? 0 : 2) : condition;
  }

  IntegerValue extreme(const Node& node, IntegerComparison is_better) const {
    IntegerValue best = operand(node, 0);
    for (std::uint32_t i = 1; i < node.count && best.has_value(); ++i) {
      const IntegerValue next = operand(node, i);
      if (!next.has_value() || compare(is_better, next, best)) best = next;
    }
    return best;
  }

  const Formula& formula_;
  const Leaves& leaves_;
};

}  // namespace kbench
