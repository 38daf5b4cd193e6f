#include "registry/conditions.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

// x.shape, x[0]
const Expression* part_of_tensor(const Expression& expression) {
  if (expression.kind == Node::attribute || expression.kind == Node::subscript) return &expression;
  for (const python::ExpressionPtr& one : expression.operands) {
    if (const auto* part = part_of_tensor(*one)) return part;
  }
  return nullptr;
}

void add_axes(const Expression& expression, Definition& to) {
  if (expression.kind == Node::name) to.axes[expression.text] = AxisVar{};
  const std::size_t first = expression.kind == Node::call ? 1 : 0;  // the function's name
  for (std::size_t i = first; i < expression.operands.size(); ++i)
    add_axes(*expression.operands[i], to);
}

// Whatever integers there are: a name stands for one.
Definition asked_of_all(const std::string& text, const Expression& expression) {
  Definition asked;
  asked.constraints.emplace_back(text);
  add_axes(expression, asked);
  return asked;
}

ConstraintScope scope_of(const IntegerOf& integer) {
  return {integer, [](std::string_view) { return std::nullopt; },
          [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }};
}

}  // namespace

std::vector<std::string> read_words(const json::Value& value, const std::string& pointer,
                                    const YamlPlace& place) {
  std::vector<std::string> words;
  if (value.kind != json::Kind::array) place.wrong(value, pointer, "a list of words");
  for (const json::Value& item : value.items) {
    if (item.is_string()) {
      words.emplace_back(item.text);
    } else {
      place.wrong(item, pointer, "a word");
    }
  }
  return words;
}

std::optional<Condition> read_condition(const json::Value& value, const std::string& pointer,
                                        const YamlPlace& place) {
  if (!value.is_string()) {
    place.wrong(value, pointer, "a comparison", "as in \"n % 16 == 0\", with quotes");
    return std::nullopt;
  }
  const auto parsed = python::parse_expression(value.text);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed)) {
    place.out.error(place.inside(value, error->offset, pointer), error->message,
                    error->message == "invalid syntax" ? "a comparison, as in n % 16 == 0" : "");
    return std::nullopt;
  }
  const Expression& expression = *std::get<python::ExpressionPtr>(parsed);
  if (const auto* part = part_of_tensor(expression)) {
    place.out.error(place.inside(value, part->begin, pointer),
                    "conditions are over the axes: tensors have no part in them");
    return std::nullopt;
  }
  const std::string text(value.text);
  const auto problems = constraint_problems(asked_of_all(text, expression));
  for (const ConstraintProblem& problem : problems)
    place.out.error(place.inside(value, problem.index, pointer), problem.message, problem.hint);
  if (!problems.empty()) return std::nullopt;
  return Condition{text, place.at(value, pointer)};
}

std::vector<Condition> read_conditions(const json::Value& list, const std::string& pointer,
                                       const YamlPlace& place) {
  std::vector<Condition> conditions;
  if (list.kind != json::Kind::array) place.wrong(list, pointer, "a list of words");
  for (const json::Value& item : list.items) {
    if (auto condition = read_condition(item, pointer, place))
      conditions.push_back(*std::move(condition));
  }
  return conditions;
}

ConstraintResult check_condition(const std::string& text, const IntegerOf& integer) {
  return check_constraint(text, scope_of(integer));
}

std::string values_of(const ConstraintResult& result, const IntegerOf& integer) {
  std::vector<std::string> values;
  for (const std::string& name : result.used_names) {
    if (const auto value = integer(name)) values.push_back(fmt::format("{} = {}", name, *value));
  }
  return join(values, ", ");
}

}  // namespace kbench
