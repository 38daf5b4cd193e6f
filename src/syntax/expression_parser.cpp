#include "syntax/expression_parser.hpp"

#include <algorithm>
#include <array>

namespace kbench::python {

// Counts one level of the parser's recursion for as long as it lives.
class ExpressionParser::Level {
 public:
  explicit Level(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.depth_ > max_depth) parser_.fail("too many nested expressions");
  }
  ~Level() { --parser_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  ExpressionParser& parser_;
};

namespace {

struct Precedence {
  std::uint64_t symbol;
  int strength;
};
constexpr std::array<Precedence, 12> precedences = {{{pack("|"), 1},
                                                     {pack("^"), 2},
                                                     {pack("&"), 3},
                                                     {pack("<<"), 4},
                                                     {pack(">>"), 4},
                                                     {pack("+"), 5},
                                                     {pack("-"), 5},
                                                     {pack("*"), 6},
                                                     {pack("/"), 6},
                                                     {pack("//"), 6},
                                                     {pack("%"), 6},
                                                     {pack("@"), 6}}};

// 0 where the lexeme is no binary operator.
int strength(const Lexeme& lexeme) {
  if (lexeme.kind != TokenKind::op) return 0;
  auto found = std::find_if(precedences.begin(), precedences.end(),
                            [&](const Precedence& p) { return p.symbol == lexeme.symbol; });
  return found == precedences.end() ? 0 : found->strength;
}

}  // namespace

ExpressionParser::ExpressionParser(std::string_view text, std::vector<Lexeme> lexemes)
    : Cursor(text, std::move(lexemes)), nodes_(1) {}

NodeId ExpressionParser::make(NodeKind kind, std::size_t begin) {
  Node node;
  node.kind = kind;
  node.begin = node.end = begin;
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId ExpressionParser::leaf(NodeKind kind) {
  NodeId id = make(kind, begin());
  set_text(id, lexeme().begin, lexeme().end);
  advance();
  return finish(id);
}

NodeId ExpressionParser::finish(NodeId id) {
  nodes_[id].end = previous_end();
  return id;
}

void ExpressionParser::append(NodeId parent, NodeId child) {
  Node& into = nodes_[parent];
  if (into.last_child == 0) {
    into.first_child = child;
  } else {
    nodes_[into.last_child].next = child;
  }
  into.last_child = child;
  unsigned depth = nodes_[child].depth + 1u;
  if (depth > max_depth) return fail("maximum recursion depth exceeded during ast construction");
  into.depth = static_cast<std::uint16_t>(std::max<unsigned>(into.depth, depth));
}

void ExpressionParser::set_text(NodeId id, std::size_t begin, std::size_t end) {
  nodes_[id].text_begin = begin;
  nodes_[id].text_end = end;
}

NodeId ExpressionParser::with_children(NodeKind kind, std::size_t begin,
                                       std::initializer_list<NodeId> children) {
  NodeId id = make(kind, begin);
  for (NodeId child : children) append(id, child);
  return finish(id);
}

NodeId ExpressionParser::whole_expression() {
  std::size_t start = begin();
  NodeId id = expression();
  if (at(",")) {
    NodeId tuple = make(NodeKind::tuple, start);
    append(tuple, id);
    while (accept(",")) {
      if (!at_expression()) break;
      append(tuple, expression());
    }
    id = finish(tuple);
  }
  while (accept(TokenKind::newline)) {
  }
  if (!at(TokenKind::end)) fail();
  return id;
}

NodeId ExpressionParser::expression() {
  Level level(*this);
  return at("lambda") ? lambda() : conditional();
}

NodeId ExpressionParser::conditional() {
  std::size_t start = begin();
  NodeId value = disjunction();
  if (!accept("if")) return value;
  NodeId condition = disjunction();
  if (!at("else")) {
    if (at(":")) fail();
    fail(start, "expected 'else' after 'if' expression");
  }
  advance();
  return with_children(NodeKind::conditional, start, {value, condition, expression()});
}

NodeId ExpressionParser::lambda() {
  std::size_t start = begin();
  advance();
  parameters(ParameterList::lambda, nullptr);
  expect(":");
  return with_children(NodeKind::lambda, start, {expression()});
}

NodeId ExpressionParser::named_expression() {
  if (at_name() && at(":=", 1)) {
    std::size_t start = begin();
    NodeId name = leaf(NodeKind::name);
    advance();
    return with_children(NodeKind::named, start, {name, expression()});
  }
  NodeId id = expression();
  if (at(":=")) fail(node(id).begin, "cannot use assignment expressions with this");
  return id;
}

NodeId ExpressionParser::starred(bool whole_expression) {
  std::size_t start = begin();
  advance();
  return with_children(NodeKind::starred, start, {whole_expression ? expression() : bitwise_or()});
}

NodeId ExpressionParser::star_expression() { return at("*") ? starred(false) : expression(); }

NodeId ExpressionParser::star_named_expression() {
  return at("*") ? starred(false) : named_expression();
}

NodeId ExpressionParser::star_expressions() {
  std::size_t start = begin();
  NodeId first = star_expression();
  if (!at(",")) return first;
  NodeId tuple = make(NodeKind::tuple, start);
  append(tuple, first);
  while (accept(",")) {
    if (!at("*") && !at_expression()) break;
    append(tuple, star_expression());
  }
  return finish(tuple);
}

NodeId ExpressionParser::yield_expression() {
  std::size_t start = begin();
  advance();
  if (accept("from")) return with_children(NodeKind::yield, start, {expression()});
  if (at("*") || at_expression())
    return with_children(NodeKind::yield, start, {star_expressions()});
  return finish(make(NodeKind::yield, start));
}

NodeId ExpressionParser::yield_or_star_expressions() {
  return at("yield") ? yield_expression() : star_expressions();
}

NodeId ExpressionParser::disjunction() {
  std::size_t start = begin();
  NodeId first = conjunction();
  if (!at("or")) return first;
  NodeId id = make(NodeKind::boolean, start);
  set_text(id, lexeme().begin, lexeme().end);
  append(id, first);
  while (accept("or")) append(id, conjunction());
  return finish(id);
}

NodeId ExpressionParser::conjunction() {
  std::size_t start = begin();
  NodeId first = inversion();
  if (!at("and")) return first;
  NodeId id = make(NodeKind::boolean, start);
  set_text(id, lexeme().begin, lexeme().end);
  append(id, first);
  while (accept("and")) append(id, inversion());
  return finish(id);
}

NodeId ExpressionParser::inversion() {
  if (!at("not")) return comparison();
  Level level(*this);
  NodeId id = make(NodeKind::unary, begin());
  set_text(id, lexeme().begin, lexeme().end);
  advance();
  append(id, inversion());
  return finish(id);
}

bool ExpressionParser::at_comparator() const {
  return at_any({"<", ">", "==", ">=", "<=", "!=", "in", "is"}) || (at("not") && at("in", 1));
}

NodeId ExpressionParser::comparator() {
  NodeId id = make(NodeKind::comparator, begin());
  bool is = at("is");
  accept("not");
  advance();
  if (is) accept("not");
  finish(id);
  set_text(id, nodes_[id].begin, nodes_[id].end);
  return id;
}

NodeId ExpressionParser::comparison() {
  std::size_t start = begin();
  NodeId first = bitwise_or();
  if (!at_comparator()) return first;
  NodeId id = make(NodeKind::comparison, start);
  append(id, first);
  while (at_comparator()) {
    append(id, comparator());
    append(id, bitwise_or());
  }
  return finish(id);
}

NodeId ExpressionParser::bitwise_or() { return binary(1); }

NodeId ExpressionParser::binary(int weakest) {
  std::size_t start = begin();
  NodeId left = factor();
  while (int found = strength(lexeme())) {
    if (found < weakest) break;
    std::size_t op_begin = lexeme().begin, op_end = lexeme().end;
    advance();
    left = with_children(NodeKind::binary, start, {left, binary(found + 1)});
    set_text(left, op_begin, op_end);
  }
  return left;
}

NodeId ExpressionParser::factor() {
  Level level(*this);
  std::size_t start = begin();
  std::size_t op_begin = lexeme().begin, op_end = lexeme().end;
  NodeId id;
  if (at("+") || at("-") || at("~")) {
    advance();
    id = with_children(NodeKind::unary, start, {factor()});
  } else {
    NodeId base = await_primary();
    if (!at("**")) return base;
    op_begin = lexeme().begin, op_end = lexeme().end;
    advance();
    id = with_children(NodeKind::binary, start, {base, factor()});
  }
  set_text(id, op_begin, op_end);
  return id;
}

bool ExpressionParser::accept_augmented() {
  const bool is_there =
      at_any({"+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="});
  if (is_there) advance();
  return is_there;
}

NodeId ExpressionParser::invalid_target(NodeId id) const {
  switch (node(id).kind) {
    case NodeKind::name:
    case NodeKind::attribute:
    case NodeKind::subscript:
      return 0;
    case NodeKind::tuple:
    case NodeKind::list:
    case NodeKind::starred:
      for (NodeId child = node(id).first_child; child != 0; child = node(child).next)
        if (const NodeId bad = invalid_target(child)) return bad;
      return 0;
    default:
      return id;
  }
}

NodeId ExpressionParser::star_target() { return at("*") ? starred(false) : bitwise_or(); }

NodeId ExpressionParser::target_list() {
  const std::size_t start = begin();
  NodeId id = star_target();
  if (at(",")) {
    const NodeId tuple = make(NodeKind::tuple, start);
    append(tuple, id);
    while (accept(",")) {
      if (!at("*") && !at_expression()) break;
      append(tuple, star_target());
    }
    id = finish(tuple);
  }
  if (const NodeId bad = failed() ? 0 : invalid_target(id))
    fail(node(bad).begin, "cannot assign to this");
  return id;
}

void ExpressionParser::fail_in_brackets() {
  if (at_literal()) return fail("invalid syntax. Perhaps you forgot a comma?");
  if (at("=")) return fail("invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  fail();
}

}  // namespace kbench::python
