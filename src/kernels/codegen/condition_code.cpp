#include "kernels/codegen/condition_code.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "kernels/registry/call_facts.hpp"
#include "kernels/registry/conditions.hpp"
#include "problem/constraint.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

constexpr std::pair<std::string_view, std::string_view> binary_functions[] = {
    {"+", "add"},           {"-", "subtract"}, {"*", "multiply"}, {"/", "divide"},
    {"//", "floor_divide"}, {"%", "modulo"},   {"**", "power"}};

std::string number_code(std::int64_t value) { return fmt::format("number({})", value); }

std::string named_code(const std::string& name, const NameCode& code_of) {
  if (std::string code = code_of(name); !code.empty()) return code;
  const auto word = word_value(name);
  return word ? number_code(*word) : "none()";
}

class ConditionWriter {
 public:
  explicit ConditionWriter(const NameCode& name) : name_(name) {}

  std::string write(const Expression& e) const {
    switch (e.kind) {
      case Node::integer:
      case Node::constant:
      case Node::name:
      case Node::attribute:
        return atom(e);
      case Node::unary:
        return unary(e);
      case Node::binary:
        return fmt::format("{}({})", function_of(e.text), all(e, 0));
      case Node::comparison:
        return comparison(e);
      case Node::boolean:
        return fmt::format("{}({{{}}})", e.text == "or" ? "either" : "both", all(e, 0));
      case Node::conditional:
        return fmt::format("selected({}, {}, {})", write(*e.operands[1]), write(*e.operands[0]),
                           write(*e.operands[2]));
      case Node::call:
        return call(e);
      default:
        return "none()";
    }
  }

 private:
  std::string atom(const Expression& e) const {
    if (e.kind == Node::name) return named(e.text);
    if (e.kind == Node::attribute) return named(dtype_name(e));
    if (e.kind == Node::constant) return number_code(e.text == "True" ? 1 : 0);
    return e.text.size() >= 19 ? "none()" : number_code(e.value);
  }

  static std::string_view function_of(std::string_view token) {
    for (const auto& [known, function] : binary_functions) {
      if (known == token) return function;
    }
    return "none";
  }

  std::string named(const std::string& name) const { return named_code(name, name_); }

  std::string all(const Expression& e, std::size_t from) const {
    std::vector<std::string> parts;
    for (std::size_t i = from; i < e.operands.size(); ++i) parts.push_back(write(*e.operands[i]));
    return join(parts, ", ");
  }

  std::string unary(const Expression& e) const {
    const std::string operand = write(*e.operands[0]);
    if (e.text == "+") return operand;
    if (e.text == "-") return fmt::format("subtract(number(0), {})", operand);
    return fmt::format("{}({})", e.text == "not" ? "negated" : "inverted", operand);
  }

  std::string comparison(const Expression& e) const {
    std::vector<std::string> by;
    for (const std::string& one : e.comparators) by.push_back("\"" + one + "\"");
    return fmt::format("chain({{{}}}, {{{}}})", all(e, 0), join(by, ", "));
  }

  // min and max of several, int(x), x.item()
  std::string call(const Expression& e) const {
    const Expression& callee = *e.operands[0];
    if (callee.kind == Node::attribute && callee.text == "item") return write(*callee.operands[0]);
    if (callee.text == "int" && e.operands.size() == 2) return write(*e.operands[1]);
    const bool is_extreme = e.operands.size() > 2 && (callee.text == "min" || callee.text == "max");
    return is_extreme
               ? fmt::format("{}({{{}}})", callee.text == "min" ? "least" : "most", all(e, 1))
               : "none()";
  }

  const NameCode& name_;
};

}  // namespace

std::string conditions_code(const std::vector<std::string>& conditions, const NameCode& name) {
  std::vector<std::string> parts;
  for (const std::string& text : conditions) {
    const auto parsed = python::parse_expression(text);
    const auto* expression = std::get_if<python::ExpressionPtr>(&parsed);
    if (expression == nullptr) continue;
    std::vector<std::string> asked;
    for (const std::string& one : names_in_condition(text)) asked.push_back(named_code(one, name));
    parts.push_back(fmt::format("are_known({{{}}}) && is_true({})", join(asked, ", "),
                                ConditionWriter(name).write(**expression)));
  }
  if (parts.empty()) return "nullptr";
  return fmt::format(
      "[]([[maybe_unused]] const Value* f, [[maybe_unused]] const Value* p) {{ return {}; }}",
      join(parts, " && "));
}

std::string list_code(const std::vector<std::string>& parts) {
  return fmt::format("{{{}}}", join(parts, ", "));
}

}  // namespace kbench
