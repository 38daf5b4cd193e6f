#include "kernels/registry/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "problem/formula.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;

// Finds x.shape, x[0].
const Expression* part_of_tensor(const Expression& expression) {
  if (!dtype_name(expression).empty()) return nullptr;
  if (expression.kind == Node::attribute || expression.kind == Node::subscript) return &expression;
  for (const python::ExpressionPtr& one : expression.operands)
    if (const auto* part = part_of_tensor(*one)) return part;
  return nullptr;
}

bool is_identifier(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  });
}

// Returns the places of quotes around words, which Python's strings have: dtype == "bfloat16".
std::vector<std::size_t> quotes_of_words(std::string_view text) {
  std::vector<std::size_t> quotes;
  const auto tokens = python::tokenize(text);
  if (!std::holds_alternative<std::vector<python::Token>>(tokens)) return quotes;
  for (const python::Token& token : std::get<std::vector<python::Token>>(tokens)) {
    if (token.kind != python::TokenKind::string || token.end - token.begin < 3) continue;
    if (is_identifier(text.substr(token.begin + 1, token.end - token.begin - 2)))
      quotes.insert(quotes.end(), {token.begin, token.end - 1});
  }
  return quotes;
}

// Returns a Definition with an axis for each name: whatever integers they stand for.
Definition asked_of_all(const std::string& text, const Expression& expression) {
  Definition asked;
  asked.constraints.emplace_back(text);
  for (const std::string& name : compile_formula(expression).names) asked.axes[name] = AxisVar{};
  return asked;
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
  const std::vector<std::size_t> quotes = quotes_of_words(value.text);
  std::string text(value.text);
  for (const std::size_t quote : quotes) text[quote] = ' ';  // keeps places what they are
  const auto parsed = python::parse_expression(text);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed)) {
    place.out.error(place.inside(value, error->offset, pointer), error->message,
                    "a comparison, as in n % 16 == 0");
    return std::nullopt;
  }
  const Expression& expression = *std::get<python::ExpressionPtr>(parsed);
  if (const auto* part = part_of_tensor(expression)) {
    place.out.error(place.inside(value, part->begin, pointer),
                    "conditions see no values of tensors: x.dtype and the axes are there");
    return std::nullopt;
  }
  if (const auto misuse = find_word_misuse(expression)) {
    place.out.error(place.inside(value, misuse->part->begin, pointer), misuse->message,
                    misuse->hint);
    return std::nullopt;
  }
  const auto problems = constraint_problems(asked_of_all(text, expression));
  for (const ConstraintProblem& problem : problems)
    place.out.error(place.inside(value, problem.index, pointer), problem.message, problem.hint);
  if (!problems.empty()) return std::nullopt;
  for (auto quote = quotes.rbegin(); quote != quotes.rend(); ++quote) text.erase(*quote, 1);
  return Condition{std::move(text), place.at(value, pointer)};
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

std::vector<std::string> names_in_condition(const std::string& text) {
  std::vector<std::string> names;
  const auto parsed = python::parse_expression(text);
  if (const auto* expression = std::get_if<python::ExpressionPtr>(&parsed))
    names = compile_formula(**expression).names;
  std::erase_if(names, [](const std::string& name) { return word_value(name); });
  return names;
}

ConstraintResult check_condition(const std::string& text, const NumberOf& number) {
  auto result = check_constraint(text, {[&](std::string_view name) -> std::optional<Number> {
                                   const auto value = number(name);
                                   return value ? value : word_value(name);
                                 }});
  std::erase_if(result.used_names, [](const std::string& name) { return word_value(name); });
  return result;
}

std::optional<Number> fact_or_word(std::string_view name, const CallFacts& facts) {
  const Number* const fact = facts.find(name);
  if (fact != nullptr) return *fact;
  return word_value(name);
}

namespace {

// Returns " (softcap is 2.5)" for the names of fractions: no condition shows these by its text.
std::string fractions_in(const std::string& condition, const CallFacts& facts) {
  std::string text;
  for (const std::string& name : names_in_condition(condition)) {
    const Number* const value = facts.find(name);
    if (value == nullptr || value->part == 0) continue;
    text += fmt::format("{}{} is {}", text.empty() ? " (" : ", ", name, number_text(*value));
  }
  return text.empty() ? "" : text + ")";
}

}  // namespace

std::string broken_condition(const std::vector<std::string>& conditions, const CallFacts& facts) {
  std::string unknown;  // the last name that is not given
  const NumberOf known = numbers_in(facts);
  const NumberOf number = [&](std::string_view name) {
    const auto value = known(name);
    if (!value && !word_value(name)) unknown = name;
    return value;
  };
  std::vector<std::string> broken, open;
  for (const std::string& condition : conditions) {
    unknown.clear();
    const auto outcome = check_condition(condition, number).outcome;
    if (outcome == ConstraintResult::Outcome::holds) continue;
    if (unknown.empty()) {
      broken.push_back(condition + fractions_in(condition, facts));
    } else {
      open.push_back(
          fmt::format("{0} cannot be told: {1} is not given (--axes {1}=…)", condition, unknown));
    }
  }
  return broken.empty() ? join(open, "; ") : "does not serve this call: " + join(broken, "; ");
}

std::string values_of(const ConstraintResult& result, const NumberOf& number) {
  std::vector<std::string> values;
  for (const std::string& name : result.used_names) {
    if (const auto value = number(name))
      values.push_back(
          fmt::format("{} = {}", name, word_of(name, value->value).value_or(number_text(*value))));
  }
  return join(values, ", ");
}

}  // namespace kbench
