// Atoms and what follows them: language reference 6.2 and 6.3.
#include "syntax/expression_parser.hpp"
#include "syntax/literal.hpp"

namespace kbench::python {

NodeId ExpressionParser::await_primary() {
  if (!at("await")) return primary();
  std::size_t start = begin();
  advance();
  return with_children(NodeKind::await, start, {primary()});
}

NodeId ExpressionParser::primary() {
  std::size_t start = begin();
  NodeId left = atom();
  while (at_any({".", "(", "["})) left = trailer(left, start);
  return left;
}

NodeId ExpressionParser::trailer(NodeId left, std::size_t start) {
  if (accept(".")) {
    NodeId id = with_children(NodeKind::attribute, start, {left});
    set_text(id, lexeme().begin, lexeme().end);
    expect_name();
    return finish(id);
  }
  if (accept("(")) {
    NodeId id = with_children(NodeKind::call, start, {left});
    arguments(id);
    return finish(id);
  }
  advance();
  NodeId id = with_children(NodeKind::subscript, start, {left, slices()});
  if (!accept("]")) fail_in_brackets();
  return finish(id);
}

NodeId ExpressionParser::atom() {
  if (at_name()) return leaf(NodeKind::name);
  if (at(TokenKind::number)) return number_atom();
  if (at(TokenKind::string)) return strings();
  if (at("(")) return parenthesised();
  if (at("[")) return list();
  if (at("{")) return braces();
  if (at_any({"True", "False", "None", "..."})) return leaf(NodeKind::constant);
  fail();
  return make(NodeKind::none, begin());
}

NodeId ExpressionParser::number_atom() {
  std::string_view literal = text_.substr(begin(), lexeme().end - begin());
  bool hexadecimal = literal.size() > 1 && (literal[1] | 0x20) == 'x';
  bool whole = hexadecimal || literal.find_first_of(".eEjJ") == std::string_view::npos;
  return leaf(whole ? NodeKind::integer : NodeKind::number);
}

// Adjacent literals are one string.
NodeId ExpressionParser::strings() {
  NodeId id = make(NodeKind::string, begin());
  bool bytes = read_string(text_, lexeme()).bytes;
  while (at(TokenKind::string)) {
    StringLiteral literal = read_string(text_, lexeme());
    if (literal.format) nodes_[id].kind = NodeKind::format_string;
    if (literal.bytes != bytes) {
      fail(nodes_[id].begin, "cannot mix bytes and nonbytes literals");
    } else if (auto error = check_string(text_, literal)) {
      fail(error->offset, std::move(error->message));
    }
    advance();
  }
  finish(id);
  set_text(id, nodes_[id].begin, nodes_[id].end);
  return id;
}

NodeId ExpressionParser::parenthesised() {
  std::size_t start = begin();
  advance();
  if (at(")")) {
    advance();
    return finish(make(NodeKind::tuple, start));
  }
  NodeId id = inside_parentheses(start);
  if (!accept(")")) fail_in_brackets();
  nodes_[id].begin = start;
  return finish(id);
}

NodeId ExpressionParser::inside_parentheses(std::size_t start) {
  if (at("yield")) return yield_expression();
  if (at("**")) fail("cannot use double starred expression here");
  bool is_starred = at("*");
  NodeId first = star_named_expression();
  if (at(",")) return rest_of_tuple(first, start);
  if (at_for()) return comprehension(NodeKind::generator, first, start);
  if (is_starred) fail(node(first).begin, "cannot use starred expression here");
  return first;
}

NodeId ExpressionParser::rest_of_tuple(NodeId first, std::size_t start) {
  NodeId tuple = make(NodeKind::tuple, start);
  append(tuple, first);
  while (accept(",")) {
    if (!at("*") && !at_expression()) break;
    append(tuple, star_named_expression());
  }
  return finish(tuple);
}

void ExpressionParser::star_named_list(NodeId parent, Symbol close) {
  while (accept(",")) {
    if (at(close) || at_for()) break;
    append(parent, star_named_expression());
  }
  if (at_for()) fail("did you forget parentheses around the comprehension target?");
}

NodeId ExpressionParser::list() {
  std::size_t start = begin();
  advance();
  NodeId id = make(NodeKind::list, start);
  if (!at("]")) {
    NodeId first = star_named_expression();
    if (at_for()) {
      id = comprehension(NodeKind::list_comprehension, first, start);
    } else {
      append(id, first);
      star_named_list(id, "]");
    }
  }
  if (!accept("]")) fail_in_brackets();
  return finish(id);
}

NodeId ExpressionParser::braces() {
  std::size_t start = begin();
  advance();
  NodeId id = make(NodeKind::dict, start);
  if (at("**")) {
    dict_items(id);
  } else if (!at("}")) {
    NodeId first = star_named_expression();
    NodeKind kind = node(first).kind;
    bool key = kind != NodeKind::starred && kind != NodeKind::named;
    if (key && at(":")) {
      append(id, first);
      dict_items(id);
    } else if (at_for()) {
      id = comprehension(NodeKind::set_comprehension, first, start);
    } else {
      nodes_[id].kind = NodeKind::set;
      append(id, first);
      star_named_list(id, "}");
    }
  }
  if (!accept("}")) fail_in_brackets();
  return finish(id);
}

// Parses from `**` or from the ':' behind the first key.
void ExpressionParser::dict_items(NodeId dict) {
  bool unpacks = at("**");
  dict_item(dict);
  if (at_for()) {
    if (unpacks) fail("dict unpacking cannot be used in dict comprehension");
    nodes_[dict].kind = NodeKind::dict_comprehension;
    return for_if_clauses(dict);
  }
  while (accept(",")) {
    if (at("}")) break;
    if (!at("**")) append(dict, expression());
    dict_item(dict);
  }
}

// `** mapping`, or `: value` behind a key.
void ExpressionParser::dict_item(NodeId dict) {
  if (accept("**")) return append(dict, bitwise_or());
  if (!at(":")) fail(previous_end() - 1, "':' expected after dictionary key");
  std::size_t colon = begin();
  advance();
  if (at("*")) fail("cannot use a starred expression in a dictionary value");
  if (at_any({"}", ","})) fail(colon, "expression expected after dictionary key and ':'");
  append(dict, expression());
}

NodeId ExpressionParser::comprehension(NodeKind kind, NodeId element, std::size_t start) {
  if (node(element).kind == NodeKind::starred)
    fail(node(element).begin, "iterable unpacking cannot be used in comprehension");
  NodeId id = make(kind, start);
  append(id, element);
  for_if_clauses(id);
  return finish(id);
}

void ExpressionParser::for_if_clauses(NodeId comprehension) {
  while (at_for()) {
    accept("async");
    advance();
    append(comprehension, target_list());
    expect("in");
    append(comprehension, disjunction());
    while (accept("if")) append(comprehension, disjunction());
  }
}

NodeId ExpressionParser::slices() {
  std::size_t start = begin();
  bool is_starred = at("*");
  NodeId first = slice();
  if (!at(",") && !is_starred) return first;
  NodeId tuple = make(NodeKind::tuple, start);
  append(tuple, first);
  while (accept(",")) {
    if (at("]")) break;
    append(tuple, slice());
  }
  return finish(tuple);
}

NodeId ExpressionParser::slice() {
  if (at("*")) return starred(true);
  std::size_t start = begin();
  NodeId lower = at(":") ? 0 : named_expression();
  if (!at(":") || (lower != 0 && node(lower).kind == NodeKind::named)) return lower;
  NodeId id = make(NodeKind::slice, start);
  if (lower != 0) append(id, lower);
  for (int part = 0; part < 2 && accept(":"); ++part)
    if (at_expression()) append(id, expression());
  return finish(id);
}

}  // namespace kbench::python
