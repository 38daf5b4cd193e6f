// Conversion of the parser's trees to the public ones.
#include <algorithm>
#include <array>
#include <charconv>

#include "syntax/expression_parser.hpp"

namespace kbench::python {

namespace {

Expression::Kind public_kind(NodeKind kind) {
  using enum Expression::Kind;
  static constexpr std::array<std::pair<NodeKind, Expression::Kind>, 13> kinds = {
      {{NodeKind::integer, integer},
       {NodeKind::number, number},
       {NodeKind::string, string},
       {NodeKind::constant, constant},
       {NodeKind::name, name},
       {NodeKind::unary, unary},
       {NodeKind::binary, binary},
       {NodeKind::comparison, comparison},
       {NodeKind::boolean, boolean},
       {NodeKind::conditional, conditional},
       {NodeKind::attribute, attribute},
       {NodeKind::subscript, subscript},
       {NodeKind::call, call}}};
  for (const auto& [from, to] : kinds)
    if (from == kind) return to;
  return other;
}

// Keeps the literal as text where it exceeds 64 bits.
void read_integer(Expression& expression) {
  std::string digits;
  for (char c : expression.text)
    if (c != '_') digits += c;
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
  }
  const char* first = digits.data() + (base == 10 ? 0 : 2);
  auto result = std::from_chars(first, digits.data() + digits.size(), expression.value, base);
  if (result.ec == std::errc()) {
    expression.text.clear();
  } else {
    expression.value = 0;
  }
}

std::string operator_text(std::string_view text) {
  std::string_view word = text.substr(0, text.find_first_of(" \t\f\r\n\\#"));
  if (word.size() == text.size()) return std::string(text);
  return word == "not" ? "not in" : "is not";  // the two of two words, spaced in any way
}

Expression::Form form_of(NodeKind kind) {
  using enum Expression::Form;
  switch (kind) {
    case NodeKind::list:
    case NodeKind::tuple:
      return sequence;
    case NodeKind::slice:
      return slice;
    case NodeKind::generator:
    case NodeKind::list_comprehension:
    case NodeKind::set_comprehension:
      return comprehension;
    default:
      return none;
  }
}

// "dim" before the value of dim=0.
std::string keyword_before(std::string_view text, std::size_t at) {
  constexpr std::string_view blank = " \t\n\r\f\\";
  const auto equals = text.substr(0, at).find_last_not_of(blank);
  if (equals == std::string_view::npos || text[equals] != '=') return "";
  const auto last = text.substr(0, equals).find_last_not_of(blank);
  const auto before = text.substr(0, last + 1).find_last_of(" \t\n\r\f\\(,");
  return std::string(text.substr(before + 1, last - before));
}

// The word that begins a clause: for, in, if.
std::string word_before(std::string_view gap) {
  for (const std::string_view word : {"for", "in", "if"})
    if (gap.find(word) != std::string_view::npos) return std::string(word);
  return "";
}

void set_roles(Expression& e, std::string_view text) {
  const bool slice = e.form == Expression::Form::slice;
  const bool comprehension = e.form == Expression::Form::comprehension;
  if (e.kind != Expression::Kind::call && !slice && !comprehension) return;
  constexpr std::array<std::string_view, 3> parts = {"lower", "upper", "step"};
  std::size_t colons = 0;
  std::size_t end = e.begin;
  for (const ExpressionPtr& operand : e.operands) {
    const std::string_view gap = text.substr(end, operand->begin - end);
    colons += static_cast<std::size_t>(std::count(gap.begin(), gap.end(), ':'));
    if (slice) e.roles.emplace_back(parts[std::min<std::size_t>(colons, 2)]);
    if (comprehension) e.roles.push_back(e.roles.empty() ? "" : word_before(gap));
    if (e.kind == Expression::Kind::call)
      e.roles.push_back(e.roles.empty() ? "" : keyword_before(text, operand->begin));
    end = operand->end;
  }
}

}  // namespace

ExpressionPtr to_expression(const ExpressionParser& parser, std::string_view text, NodeId id) {
  const Node& node = parser.node(id);
  auto result = std::make_unique<Expression>();
  result->kind = public_kind(node.kind);
  result->form = form_of(node.kind);
  result->begin = node.begin;
  result->end = node.end;
  result->text = text.substr(node.text_begin, node.text_end - node.text_begin);
  for (NodeId child = node.first_child; child != 0; child = parser.node(child).next) {
    const Node& part = parser.node(child);
    if (part.kind == NodeKind::comparator) {
      result->comparators.push_back(operator_text(text.substr(part.begin, part.end - part.begin)));
    } else {
      result->operands.push_back(to_expression(parser, text, child));
    }
  }
  if (result->kind == Expression::Kind::integer) read_integer(*result);
  set_roles(*result, text);
  return result;
}

}  // namespace kbench::python
