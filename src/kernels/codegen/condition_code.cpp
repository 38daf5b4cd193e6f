#include "kernels/codegen/condition_code.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "kernels/registry/call_facts.hpp"
#include "problem/formula.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using Node = Formula::Node;

// Functions by the numbers of IntegerOperator and IntegerComparison.
constexpr std::string_view arithmetic_functions[] = {
    "add", "subtract", "multiply", "divide", "floor_divide", "modulo", "power"};
constexpr std::string_view comparators[] = {"\"==\"", "\"!=\"", "\"<\"",
                                            "\"<=\"", "\">\"",  "\">=\""};

std::string number_code(std::int64_t value) { return fmt::format("number({})", value); }

std::string named_code(const std::string& name, const NameCode& code_of) {
  if (std::string code = code_of(name); !code.empty()) return code;
  const auto word = word_value(name);
  return word ? number_code(*word) : "none()";
}

class ConditionWriter {
 public:
  ConditionWriter(const Formula& formula, const NameCode& name) : formula_(formula), name_(name) {}

  std::string write(std::uint32_t index) const {
    using enum Formula::Code;
    const Node& node = formula_.nodes[index];
    switch (node.code) {
      case number:
        return number_code(node.value);
      case fraction:
        return fmt::format("Value{{{}, true, {}}}", node.value,
                           formula_.nodes[formula_.child(node, 0)].value);
      case name:
        return named_code(formula_.names[static_cast<std::size_t>(node.value)], name_);
      case invert:
      case logical_not:
        return fmt::format("{}({})", node.code == invert ? "inverted" : "negated", all(node));
      case arithmetic:
        return fmt::format("{}({})", arithmetic_functions[node.detail], all(node));
      case comparison:
        return chain(node);
      case conditional:
        return fmt::format("selected({}, {}, {})", write(formula_.child(node, 1)),
                           write(formula_.child(node, 0)), write(formula_.child(node, 2)));
      default:
        return of_list(node);
    }
  }

 private:
  std::string of_list(const Node& node) const {
    using enum Formula::Code;
    constexpr std::pair<Formula::Code, std::string_view> functions[] = {
        {logical_or, "either"}, {logical_and, "both"}, {minimum, "least"}, {maximum, "most"}};
    for (const auto& [code, function] : functions)
      if (code == node.code) return fmt::format("{}({{{}}})", function, all(node));
    return "none()";
  }

  std::string all(const Node& node, std::uint32_t step = 1) const {
    std::vector<std::string> parts;
    for (std::uint32_t i = 0; i < node.count; i += step)
      parts.push_back(write(formula_.child(node, i)));
    return join(parts, ", ");
  }

  std::string chain(const Node& node) const {
    std::vector<std::string_view> by;
    for (std::uint32_t i = 1; i < node.count; i += 2)
      by.push_back(comparators[formula_.child(node, i)]);
    return fmt::format("chain({{{}}}, {{{}}})", all(node, 2), fmt::join(by, ", "));
  }

  const Formula& formula_;
  const NameCode& name_;
};

}  // namespace

std::string conditions_code(const std::vector<std::string>& conditions, const NameCode& name) {
  std::vector<std::string> parts;
  for (const std::string& text : conditions) {
    const auto parsed = python::parse_expression(text);
    const auto* expression = std::get_if<python::ExpressionPtr>(&parsed);
    if (expression == nullptr) continue;
    const Formula formula = compile_formula(**expression);
    std::vector<std::string> asked;
    for (const std::string& one : formula.names)
      if (!word_value(one)) asked.push_back(named_code(one, name));
    parts.push_back(fmt::format("are_known({{{}}}) && is_true({})", join(asked, ", "),
                                ConditionWriter(formula, name).write(formula.whole())));
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
