// Functions, classes and match statements: language reference 8.6 to 8.8.
#include "syntax/statement_parser.hpp"

namespace kbench::python {

void StatementParser::class_definition() {
  std::size_t start = begin();
  advance();
  expect_name();
  if (accept("(")) {
    NodeId bases = call_node();
    arguments(bases, false);
  }
  colon(false);
  block("class definition", start);
}

void StatementParser::function_definition() {
  Function function;
  function.begin = statement_begin_;
  function.def_begin = begin();
  function.is_async = accept("async");
  std::size_t start = begin();
  advance();
  function.name = name_text();
  expect_name();
  if (!accept("(")) return fail("expected '('");
  parameters(ParameterList::function, &function.parameters);
  if (!accept(")")) return fail_in_brackets();
  if (accept("->")) expression();
  colon(true);
  function.body_begin = previous_end();
  block("function definition", start);
  function.end = previous_line_end();
  if (nesting_ == 0) module_.functions.push_back(std::move(function));
}

// "match" subject ':' and a line break; false where the line says something else.
bool StatementParser::match_header() {
  advance();
  if (!at("*") && !at_expression()) return false;
  bool star = at("*");
  star_named_expression();
  if (star && !at(",")) return false;
  while (accept(",")) {
    if (at(":")) break;
    star_named_expression();
  }
  return !failed() && accept(":") && accept(TokenKind::newline);
}

// "match" is a name too: nothing is read, and false, where this is no match statement.
bool StatementParser::match_statement() {
  std::size_t start = begin(), first = position();
  if (!match_header()) {
    rewind(first);
    drop_nodes();
    return false;
  }
  ++nesting_;
  if (!accept(TokenKind::indent)) {
    fail_without_block("'match' statement", start);
  }
  do {
    case_block();
  } while (!at(TokenKind::dedent) && !at(TokenKind::end));
  accept(TokenKind::dedent);
  --nesting_;
  collect("match", start, previous_line_end());
  return true;
}

void StatementParser::case_block() {
  std::size_t start = begin();
  if (!accept("case")) return fail();
  top_pattern();
  if (accept("if")) named_expression();
  colon(false);
  block("'case' statement", start);
}

}  // namespace kbench::python
