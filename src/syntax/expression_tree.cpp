// From the parser's trees to the public ones.
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
  for (const auto& [from, to] : kinds) {
    if (from == kind) return to;
  }
  return other;
}

// Keeps the literal as text where it exceeds 64 bits.
void read_integer(Expression& expression) {
  std::string digits;
  for (char c : expression.text) {
    if (c != '_') digits += c;
  }
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

}  // namespace

ExpressionPtr to_expression(const ExpressionParser& parser, std::string_view text, NodeId id) {
  const Node& node = parser.node(id);
  auto result = std::make_unique<Expression>();
  result->kind = public_kind(node.kind);
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
  return result;
}

}  // namespace kbench::python
