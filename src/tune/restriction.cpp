#include "tune/restriction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words.hpp"
#include "problem/constraint.hpp"
#include "problem/constraint_value.hpp"

namespace kbench {
namespace {

using Outcome = Restriction::Outcome;
using Node = Restriction::Node;
using python::Expression;
using Kind = Expression::Kind;

using enum Restriction::Code;

struct RestrictionValue {
  std::int64_t value = 0;
  Outcome outcome = Outcome::holds;  // holds: it has the value
};

RestrictionValue none(Outcome outcome) { return {0, outcome}; }
bool has_value(RestrictionValue value) { return value.outcome == Outcome::holds; }

// The operands of one node are asked for through `operand`, which evaluates them.
template <class Operand>
class RestrictionEvaluation {
 public:
  RestrictionEvaluation(const Node& node, Operand& operand) : node_(node), operand_(operand) {}

  RestrictionValue run() const {
    switch (node_.code) {
      case number:
        return {node_.value};
      case no_value:
        return none(static_cast<Outcome>(node_.detail));
      case arithmetic:
        return calculated();
      case comparison:
        return compared();
      case logical_or:
      case logical_and:
        return decided(node_.code == logical_or);
      case conditional:
        return chosen();
      case minimum:
        return extreme(IntegerComparison::less);
      case maximum:
        return extreme(IntegerComparison::greater);
      default:
        return unary();
    }
  }

 private:
  RestrictionValue unary() const {
    const RestrictionValue value = operand_(0);
    if (!has_value(value)) return value;
    return {node_.code == invert ? ~value.value : std::int64_t{value.value == 0}};
  }

  RestrictionValue calculated() const {
    const RestrictionValue left = operand_(0);
    if (!has_value(left)) return left;
    const RestrictionValue right = operand_(1);
    if (!has_value(right)) return right;
    const IntegerValue result =
        calculate(static_cast<IntegerOperator>(node_.detail), left.value, right.value);
    if (result.flaw == NoInteger::none) return {result.value};
    return none(result.flaw == NoInteger::division_by_zero ? Outcome::undefined
                                                           : Outcome::unchecked);
  }

  RestrictionValue compared() const {
    RestrictionValue left = operand_(0);
    for (std::uint32_t i = 1; i < node_.count; ++i) {
      if (!has_value(left)) return left;
      const RestrictionValue right = operand_(i);
      if (!has_value(right)) return right;
      const auto op = static_cast<IntegerComparison>(node_.value >> (3 * (i - 1)) & 7);
      if (!compare(op, left.value, right.value)) return {0};
      left = right;
    }
    return {1};
  }

  // As in constraint_value(): one decisive operand decides, also beside one that is open.
  RestrictionValue decided(bool is_or) const {
    RestrictionValue stuck;
    RestrictionValue last{is_or ? 0 : 1};
    for (std::uint32_t i = 0; i < node_.count; ++i) {
      const RestrictionValue value = operand_(i);
      if (!has_value(value)) {
        if (has_value(stuck) && value.outcome != Outcome::open) return value;
        if (has_value(stuck)) stuck = value;
        continue;
      }
      last = value;
      if ((value.value != 0) == is_or) return value;
    }
    return has_value(stuck) ? last : stuck;
  }

  RestrictionValue chosen() const {
    const RestrictionValue condition = operand_(1);
    return has_value(condition) ? operand_(condition.value != 0 ? 0 : 2) : condition;
  }

  RestrictionValue extreme(IntegerComparison is_better) const {
    RestrictionValue best = operand_(0);
    for (std::uint32_t i = 1; i < node_.count && has_value(best); ++i) {
      const RestrictionValue next = operand_(i);
      if (!has_value(next) || compare(is_better, next.value, best.value)) best = next;
    }
    return best;
  }

  const Node& node_;
  Operand& operand_;
};

struct Tree {
  const std::vector<Node>& nodes;
  const std::vector<std::uint32_t>& children;
  std::span<const RestrictionOperand> operands;

  RestrictionValue evaluate(std::uint32_t index) const {
    const Node& node = nodes[index];
    if (node.code == parameter) {
      const RestrictionOperand& operand = operands[static_cast<std::size_t>(node.value)];
      return operand.is_integer ? RestrictionValue{operand.value} : none(Outcome::open);
    }
    const auto operand = [&](std::uint32_t i) { return evaluate(children[node.first + i]); };
    return RestrictionEvaluation(node, operand).run();
  }
};

ConstraintScope scope_of(const NameLookup& names) {
  return {[&names](std::string_view name) -> std::optional<std::int64_t> {
            const auto found = names(name);
            if (!found) return std::nullopt;
            const auto* axis = std::get_if<std::int64_t>(&*found);
            return axis != nullptr ? *axis : 1;
          },
          [](std::string_view) { return std::nullopt; },
          [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }};
}

}  // namespace

class RestrictionCompiler {
 public:
  explicit RestrictionCompiler(const NameLookup& names) : names_(names) {}

  Restriction compile(const Expression& e) {
    add(e);
    auto& used = made_.parameters_;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return std::move(made_);
  }

 private:
  std::uint32_t add(const Expression& e) {
    switch (e.kind) {
      case Kind::integer:
      case Kind::constant:
      case Kind::name:
      case Kind::attribute:
        return atom(e);
      case Kind::unary:
        return unary(e);
      case Kind::binary:
        return binary(e);
      case Kind::comparison:
        return chain(e);
      case Kind::boolean:
        return node(e.text == "or" ? logical_or : logical_and, 0, all(e, 0));
      case Kind::conditional:
        return node(conditional, 0, all(e, 0));
      case Kind::call:
        return call(e);
      default:  // for tensors, which conditions of configurations know nothing of
        return nothing(Outcome::open);
    }
  }

  std::uint32_t atom(const Expression& e) {
    if (e.kind == Kind::name) return name(e.text);
    if (e.kind == Kind::attribute) return name(dtype_name(e));
    if (e.kind == Kind::constant) return leaf(e.text == "True" ? 1 : 0);
    return e.text.size() >= 19 ? nothing(Outcome::unchecked) : leaf(e.value);
  }

  std::vector<std::uint32_t> all(const Expression& e, std::size_t from) {
    std::vector<std::uint32_t> nodes;
    for (std::size_t i = from; i < e.operands.size(); ++i) nodes.push_back(add(*e.operands[i]));
    return nodes;
  }

  std::uint32_t name(const std::string& text) {
    const auto found = names_(text);
    if (!found) return nothing(Outcome::open);
    if (const auto* axis = std::get_if<std::int64_t>(&*found)) return leaf(*axis);
    const std::uint32_t which = std::get<ParameterNumber>(*found).number;
    made_.parameters_.push_back(which);
    made_.nodes_.push_back({parameter, 0, 0, 0, which});
    return last();
  }

  std::uint32_t unary(const Expression& e) {
    if (e.text == "+") return add(*e.operands[0]);
    if (e.text == "-") {
      const std::uint32_t zero = leaf(0);
      return node(arithmetic, static_cast<std::uint8_t>(IntegerOperator::subtract),
                  {zero, add(*e.operands[0])});
    }
    return node(e.text == "not" ? logical_not : invert, 0, all(e, 0));
  }

  std::uint32_t binary(const Expression& e) {
    const auto op = integer_operator(e.text);
    return op ? node(arithmetic, static_cast<std::uint8_t>(*op), all(e, 0))
              : nothing(Outcome::unchecked);
  }

  std::uint32_t chain(const Expression& e) { return chain(e, all(e, 0), 0); }

  // From that comparison on. The bits of a node hold 21 operators; the rest is asked for where
  // those before it hold.
  std::uint32_t chain(const Expression& e, const std::vector<std::uint32_t>& operands,
                      std::size_t from) {
    const std::size_t to = std::min(from + 21, e.comparators.size());
    std::int64_t operators = 0;
    for (std::size_t i = from; i < to; ++i) {
      const auto op = integer_comparison(e.comparators[i]);
      if (!op) return nothing(Outcome::unchecked);
      operators |= static_cast<std::int64_t>(*op) << (3 * (i - from));
    }
    const std::vector<std::uint32_t> compared(
        operands.begin() + static_cast<std::ptrdiff_t>(from),
        operands.begin() + static_cast<std::ptrdiff_t>(to) + 1);
    const std::uint32_t begin = node(comparison, 0, compared, operators);
    if (to == e.comparators.size()) return begin;
    const std::uint32_t rest = chain(e, operands, to);
    return node(conditional, 0, {rest, begin, leaf(0)});
  }

  // min and max of several, int(x), x.item()
  std::uint32_t call(const Expression& e) {
    const Expression& callee = *e.operands[0];
    if (callee.kind == Kind::attribute && callee.text == "item" && e.operands.size() == 1)
      return add(*callee.operands[0]);
    if (callee.kind != Kind::name) return nothing(Outcome::open);
    if (is_one_of(callee.text, {"min", "max"}) && e.operands.size() > 2)
      return node(callee.text == "min" ? minimum : maximum, 0, all(e, 1));
    const bool is_cast = callee.text == "int" && e.operands.size() == 2;
    return is_cast ? add(*e.operands[1]) : nothing(Outcome::open);
  }

  std::uint32_t last() const { return static_cast<std::uint32_t>(made_.nodes_.size() - 1); }
  std::uint32_t leaf(std::int64_t value) {
    made_.nodes_.push_back({number, 0, 0, 0, value});
    return last();
  }
  std::uint32_t nothing(Outcome outcome) {
    made_.nodes_.push_back({no_value, static_cast<std::uint8_t>(outcome), 0, 0, 0});
    return last();
  }

  // What depends on no parameter is calculated here and now.
  std::uint32_t node(Restriction::Code code, std::uint8_t detail,
                     const std::vector<std::uint32_t>& operands, std::int64_t value = 0) {
    const auto first = static_cast<std::uint32_t>(made_.children_.size());
    made_.children_.insert(made_.children_.end(), operands.begin(), operands.end());
    made_.nodes_.push_back(
        {code, detail, first, static_cast<std::uint32_t>(operands.size()), value});
    const bool is_constant = std::all_of(operands.begin(), operands.end(), [&](std::uint32_t i) {
      return made_.nodes_[i].code == number || made_.nodes_[i].code == no_value;
    });
    if (!is_constant) return last();
    const RestrictionValue folded = Tree{made_.nodes_, made_.children_, {}}.evaluate(last());
    return has_value(folded) ? leaf(folded.value) : nothing(folded.outcome);
  }

  const NameLookup& names_;
  Restriction made_;
};

Outcome Restriction::evaluate(std::span<const RestrictionOperand> operands) const {
  const RestrictionValue value =
      Tree{nodes_, children_, operands}.evaluate(static_cast<std::uint32_t>(nodes_.size() - 1));
  if (value.outcome != Outcome::holds) return value.outcome;
  return value.value != 0 ? Outcome::holds : Outcome::violated;
}

std::variant<Restriction, RestrictionFlaw> compile_restriction(const std::string& text,
                                                               const NameLookup& names) {
  const auto parsed = python::parse_expression(text);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
    return RestrictionFlaw{error->message, error->offset};
  const Expression& expression = *std::get<python::ExpressionPtr>(parsed);
  if (const auto flaw = find_invalid_part(expression, scope_of(names))) {
    const bool is_name = flaw->part->kind == Kind::name;
    return RestrictionFlaw{
        is_name
            ? fmt::format("\"{}\" is no parameter and no axis, and has no whole value in this call",
                          flaw->part->text)
            : flaw->message,
        flaw->part->begin};
  }
  return RestrictionCompiler(names).compile(expression);
}

RestrictionOperand operand_of(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return {*integer, true};
  if (const auto* truth = std::get_if<bool>(&value)) return {std::int64_t{*truth}, true};
  return {};
}

}  // namespace kbench
