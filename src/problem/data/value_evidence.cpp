#include "problem/data/value_evidence.hpp"

#include "problem/constraint_value.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

bool is_name(const Expression& e, const std::string& name) {
  return e.kind == Node::name && e.text == name;
}

// Without .item(), int() and conversions around it.
const Expression& bare(const Expression& e) {
  if (e.kind != Node::call) return e;
  const Expression& callee = *e.operands[0];
  if (callee.kind == Node::name && callee.text == "int" && e.operands.size() == 2)
    return bare(*e.operands[1]);
  const bool wraps = callee.kind == Node::attribute &&
                     (callee.text == "item" || callee.text == "long" || callee.text == "to");
  return wraps ? bare(*callee.operands[0]) : e;
}

bool is_end(const Expression& e, const std::string& tensor) {
  if (e.kind != Node::subscript || !is_name(bare(*e.operands[0]), tensor)) return false;
  const Expression& index = *e.operands[1];
  return index.kind == Node::unary && index.text == "-" && index.operands[0]->value == 1;
}

// tensor.method(), torch.method(tensor)
bool is_reduction(const Expression& e, const std::string& tensor, const std::string& method) {
  if (e.kind != Node::call || e.operands[0]->kind != Node::attribute) return false;
  const Expression& callee = *e.operands[0];
  return callee.text == method && (is_name(bare(*callee.operands[0]), tensor) ||
                                   (e.operands.size() == 2 && is_name(*e.operands[1], tensor)));
}

std::string opposite(const std::string& op) {
  if (op == "<" || op == "<=") return op == "<" ? ">=" : ">";
  if (op == ">" || op == ">=") return op == ">" ? "<=" : "<";
  return op == "==" ? "!=" : op == "!=" ? "==" : op;
}

// Every comparison of two operands that a true (or false) tree says, each read in both directions.
template <class Visit>
void each_comparison(const Expression& e, bool truth, const Visit& visit) {
  if (e.kind == Node::unary && e.text == "not")
    return each_comparison(*e.operands[0], !truth, visit);
  const bool chain = e.comparators.size() > 1;
  if (e.kind == Node::boolean && (e.text == "and") != truth) return;  // one of them is enough
  if (e.kind == Node::comparison && (truth || !chain)) {
    for (std::size_t i = 0; i < e.comparators.size(); ++i) {
      const std::string op = truth ? e.comparators[i] : opposite(e.comparators[i]);
      visit(bare(*e.operands[i]), op, *e.operands[i + 1]);
      visit(bare(*e.operands[i + 1]), mirrored(op), *e.operands[i]);
    }
  }
  for (const auto& operand : e.operands) each_comparison(*operand, truth, visit);
}

}  // namespace

ValueEvidence::ValueEvidence(const Definition& definition, const Problem& problem,
                             const ReferenceFacts& facts)
    : scope_(scope_of(problem, facts)) {
  const auto add = [this](const std::string& text) {
    auto parsed = python::parse_expression(text);
    if (auto* tree = std::get_if<python::ExpressionPtr>(&parsed))
      texts_.push_back({text, std::move(*tree)});
  };
  for (const std::string& text : definition.constraints) add(text);
  for (const std::string& text : facts.checks) add(text);
}

bool ValueEvidence::is_about(const Expression& e, const std::string& tensor, Part part) {
  if (part == Part::end) return is_end(e, tensor);
  if (part == Part::sum) return is_reduction(e, tensor, "sum");
  return is_name(e, tensor) || is_reduction(e, tensor, "max");
}

std::optional<SaidValue> ValueEvidence::find(const std::string& tensor, Part part) const {
  std::optional<SaidValue> found;
  for (const Text& text : texts_) {
    each_comparison(*text.tree, true,
                    [&](const Expression& side, const std::string& op, const Expression& other) {
                      if (found || !is_about(side, tensor, part)) return;
                      const bool strict = part == Part::largest && op == "<";
                      if (!strict && op != "<=" && (part == Part::largest || op != "==")) return;
                      if (const auto value = integer_of(constraint_value(other, scope_)))
                        found = SaidValue{*value - (strict ? 1 : 0), text.text};
                    });
  }
  return found;
}

std::optional<SaidValue> ValueEvidence::end(const std::string& tensor) const {
  return find(tensor, Part::end);
}

std::optional<SaidValue> ValueEvidence::sum(const std::string& tensor) const {
  return find(tensor, Part::sum);
}

std::optional<SaidValue> ValueEvidence::largest(const std::string& tensor) const {
  return find(tensor, Part::largest);
}

}  // namespace kbench
