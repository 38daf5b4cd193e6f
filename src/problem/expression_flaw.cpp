#include "problem/expression_flaw.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

bool is_arithmetic(std::string_view op) {
  return is_division(op) || is_one_of(op, {"+", "-", "*", "**"});
}

bool is_comparison(std::string_view op) {
  return is_one_of(op, {"==", "!=", "<", "<=", ">", ">="});
}

std::string unsupported(std::string_view what) {
  return fmt::format("{} cannot be computed: only integers, axes, arithmetic and comparisons can",
                     what);
}

bool is_known(const ConstraintScope& scope, const std::string& name) {
  return scope.integer(name) || scope.shape(name);
}

std::string comparison_flaw(const Expression& e) {
  const auto strange = std::find_if_not(e.comparators.begin(), e.comparators.end(),
                                        [](const std::string& op) { return is_comparison(op); });
  return strange == e.comparators.end() ? ""
                                        : unsupported(fmt::format("comparison '{}'", *strange));
}

std::string call_flaw(const Expression& e) {
  const Expression& callee = *e.operands[0];
  if (callee.kind != Node::name || is_one_of(callee.text, {"int", "len", "min", "max"})) return "";
  return unsupported(fmt::format("function {}", callee.text));
}

// What is wrong with this node itself, "" when nothing is.
std::string flaw_of(const Expression& e, const ConstraintScope& scope) {
  switch (e.kind) {
    case Node::name:
      return is_known(scope, e.text) ? "" : fmt::format("\"{}\" is no axis and no input", e.text);
    case Node::constant:
      return is_one_of(e.text, {"True", "False"}) ? "" : unsupported(e.text);
    case Node::binary:
      return is_arithmetic(e.text) ? "" : unsupported(fmt::format("operator {}", e.text));
    case Node::comparison:
      return comparison_flaw(e);
    case Node::call:
      return call_flaw(e);
    case Node::number:
    case Node::string:
      return unsupported(e.text);
    case Node::other:
      return unsupported("this");
    default:
      return "";
  }
}

}  // namespace

bool is_division(std::string_view op) { return is_one_of(op, {"/", "//", "%"}); }

std::string dtype_name(const Expression& e) {
  const bool is_dtype =
      e.kind == Node::attribute && e.text == "dtype" && e.operands[0]->kind == Node::name;
  return is_dtype ? e.operands[0]->text + ".dtype" : "";
}

std::optional<ExpressionFlaw> find_invalid_part(const Expression& e, const ConstraintScope& scope) {
  if (const std::string dtype = dtype_name(e); !dtype.empty() && scope.integer(dtype))
    return std::nullopt;
  if (std::string message = flaw_of(e, scope); !message.empty())
    return ExpressionFlaw{&e, std::move(message), ""};
  const bool function = e.kind == Node::call && e.operands[0]->kind == Node::name;
  for (std::size_t i = function ? 1 : 0; i < e.operands.size(); ++i) {
    if (auto flaw = find_invalid_part(*e.operands[i], scope)) return flaw;
  }
  return std::nullopt;
}

std::string names_hint(const Definition& definition, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [axis, value] : definition.axes) known.push_back(axis);
  const std::string axes = "axes are " + join(known, ", ");
  for (const auto& [input, spec] : definition.inputs) known.push_back(input);
  const std::string guess = did_you_mean(name, known);
  return guess.empty() ? axes : guess;
}

}  // namespace kbench
