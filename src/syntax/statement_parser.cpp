#include "syntax/statement_parser.hpp"

#include <array>

#include "syntax/unicode.hpp"

namespace kbench::python {

StatementParser::Rule StatementParser::compound_rule(const Lexeme& lexeme) {
  using P = StatementParser;
  static constexpr std::array<KeywordRule, 9> rules = {{{"def", &P::function_definition},
                                                        {"@", &P::decorated},
                                                        {"async", &P::async_statement},
                                                        {"if", &P::if_statement},
                                                        {"class", &P::class_definition},
                                                        {"with", &P::with_statement},
                                                        {"for", &P::for_statement},
                                                        {"try", &P::try_statement},
                                                        {"while", &P::while_statement}}};
  if (!lexeme.keyword && lexeme.symbol != Symbol("@").value) return nullptr;
  for (const KeywordRule& rule : rules) {
    if (rule.keyword.value == lexeme.symbol) return rule.rule;
  }
  return nullptr;
}

StatementParser::Rule StatementParser::simple_rule(const Lexeme& lexeme) {
  using P = StatementParser;
  static constexpr std::array<KeywordRule, 11> rules = {{{"return", &P::return_statement},
                                                         {"import", &P::import_statement},
                                                         {"from", &P::from_statement},
                                                         {"raise", &P::raise_statement},
                                                         {"pass", &P::keyword_only},
                                                         {"del", &P::delete_statement},
                                                         {"assert", &P::assert_statement},
                                                         {"break", &P::keyword_only},
                                                         {"continue", &P::keyword_only},
                                                         {"global", &P::names_statement},
                                                         {"nonlocal", &P::names_statement}}};
  if (!lexeme.keyword) return nullptr;
  for (const KeywordRule& rule : rules) {
    if (rule.keyword.value == lexeme.symbol) return rule.rule;
  }
  return nullptr;
}

Module StatementParser::module() {
  while (!at(TokenKind::end)) statement();
  return std::move(module_);
}

void StatementParser::statement() {
  drop_nodes();
  if (Rule rule = compound_rule(lexeme())) return compound_statement(rule);
  if (at("match") && match_statement()) return;
  simple_statements();
}

void StatementParser::collect(std::string keyword, std::size_t begin, std::size_t end) {
  if (nesting_ == 0) module_.statements.push_back({std::move(keyword), begin, end});
}

void StatementParser::compound_statement(Rule rule) {
  std::size_t start = begin();
  statement_begin_ = start;
  std::string keyword = name_text();
  std::size_t functions = module_.functions.size();
  (this->*rule)();
  if (module_.functions.size() > functions) return;
  collect(keyword == "@" ? "class" : std::move(keyword), start, previous_line_end());
}

void StatementParser::simple_statements() {
  do {
    simple_statement();
  } while (accept(";") && !at(TokenKind::newline));
  if (accept(TokenKind::newline)) return;
  fail();
}

void StatementParser::simple_statement() {
  std::size_t start = begin();
  Rule rule = simple_rule(lexeme());
  std::string keyword = rule != nullptr ? name_text() : "";
  if (rule != nullptr) {
    (this->*rule)();
  } else {
    expression_statement();
  }
  collect(std::move(keyword), start, previous_end());
}

void StatementParser::block(const char* what, std::size_t start) {
  ++nesting_;
  if (!accept(TokenKind::newline)) {
    simple_statements();
  } else if (!accept(TokenKind::indent)) {
    fail_without_block(what, start);
  } else {
    do {
      statement();
    } while (!at(TokenKind::dedent) && !at(TokenKind::end));
    accept(TokenKind::dedent);
  }
  --nesting_;
}

void StatementParser::fail_without_block(const char* what, std::size_t start) {
  fail(std::string("expected an indented block after ") + what + " on line " +
       std::to_string(line_of(text_, start)));
}

// if, elif and while: the condition, ':' and the block.
void StatementParser::condition(const char* what, std::size_t start) {
  NodeId test = named_expression();
  if (at("=")) {
    bool name = node(test).kind == NodeKind::name;
    fail(node(test).begin, name ? "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"
                                : "cannot assign to " + describe(test) +
                                      " here. Maybe you meant '==' instead of '='?");
  }
  colon(false);
  block(what, start);
}

void StatementParser::if_statement() {
  std::size_t start = begin();
  advance();
  condition("'if' statement", start);
  for (unsigned depth = 0; at("elif"); ++depth) {
    if (depth > max_depth) fail("too many nested elif");
    start = begin();
    advance();
    condition("'elif' statement", start);
  }
  else_block();
}

void StatementParser::else_block() {
  if (!at("else")) return;
  std::size_t start = begin();
  advance();
  colon(true);
  block("'else' statement", start);
}

void StatementParser::while_statement() {
  std::size_t start = begin();
  advance();
  condition("'while' statement", start);
  else_block();
}

void StatementParser::for_statement() {
  std::size_t start = begin();
  advance();
  target_list();
  expect("in");
  star_expressions();
  colon(false);
  block("'for' statement", start);
  else_block();
}

void StatementParser::with_item() {
  expression();
  if (!accept("as")) return;
  NodeId target = star_target();
  if (!at_any({",", ")", ":"})) return fail();
  check_target(target, Target::for_loop);
}

// with (a as b, c): …; false, and nothing read, where the parenthesis is part of an expression.
bool StatementParser::parenthesised_with_items() {
  std::size_t start = position();
  if (!accept("(")) return false;
  do {
    if (at(")")) break;
    with_item();
  } while (accept(","));
  bool some = position() > start + 1;
  expect(")");
  if (some && !failed() && at(":")) return true;
  rewind(start);
  return false;
}

void StatementParser::with_statement() {
  std::size_t start = begin();
  advance();
  if (!parenthesised_with_items()) {
    do {
      with_item();
    } while (accept(","));
  }
  colon(false);
  block("'with' statement", start);
}

void StatementParser::try_statement() {
  std::size_t start = begin();
  advance();
  colon(true);
  block("'try' statement", start);
  bool star = at("except") && at("*", 1);
  bool handled = false;
  while (except_clause(!handled, star)) handled = true;
  if (!handled && !at("finally")) return fail("expected 'except' or 'finally' block");
  if (handled) else_block();
  finally_block();
}

bool StatementParser::except_clause(bool first, bool star) {
  if (!at("except")) return false;
  std::size_t start = begin();
  advance();
  if (accept("*") != star && !first) {
    fail(start, "cannot have both 'except' and 'except*' on the same 'try'");
  }
  if (star && (at(":") || at(TokenKind::newline))) fail("expected one or more exception types");
  if (!at(":") && !at(TokenKind::newline)) {
    std::size_t type = begin();
    expression();
    if (at(",")) fail(type, "multiple exception types must be parenthesized");
    if (accept("as")) expect_name();
  }
  colon(false);
  block(star ? "'except*' statement" : "'except' statement", start);
  return !failed();
}

void StatementParser::finally_block() {
  if (!at("finally")) return;
  std::size_t start = begin();
  advance();
  colon(true);
  block("'finally' statement", start);
}

void StatementParser::async_statement() {
  if (at("def", 1)) return function_definition();
  advance();
  if (at("for")) return for_statement();
  if (at("with")) return with_statement();
  fail();
}

void StatementParser::decorated() {
  while (accept("@")) {
    named_expression();
    if (!accept(TokenKind::newline)) return fail();
  }
  if (at("class")) return class_definition();
  if (at("def") || (at("async") && at("def", 1))) return function_definition();
  fail();
}

}  // namespace kbench::python
