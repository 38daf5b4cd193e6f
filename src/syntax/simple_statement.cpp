// Simple statements: language reference chapter 7.

#include "syntax/statement_parser.hpp"

namespace kbench::python {

bool StatementParser::at_augmented() const {
  return at_any({"+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//="});
}

void StatementParser::expression_statement() {
  NodeId first = yield_or_star_expressions();
  if (at("=")) {
    assignment(first);
  } else if (at(":")) {
    annotated_assignment(first);
  } else if (at_augmented()) {
    augmented_assignment(first);
  } else if (!at(TokenKind::newline) && !at(";")) {
    fail_after_expression(first);
  }
}

// The old print and exec statements get a hint.
void StatementParser::fail_after_expression(NodeId id) {
  const Node& left = node(id);
  std::string name(text_.substr(left.begin, left.end - left.begin));
  bool statement = left.kind == NodeKind::name && (name == "print" || name == "exec");
  if (!statement || !at_expression()) return fail();
  fail(left.begin,
       "Missing parentheses in call to '" + name + "'. Did you mean " + name + "(...)?");
}

// From the first '='.
void StatementParser::assignment(NodeId first) {
  NodeId target = first;
  while (accept("=")) {
    check_target(target, Target::assign);
    target = yield_or_star_expressions();
  }
}

void StatementParser::annotated_assignment(NodeId target) {
  NodeKind kind = node(target).kind;
  if (kind == NodeKind::tuple || kind == NodeKind::list) {
    return fail(node(target).begin,
                "only single target (not " + describe(target) + ") can be annotated");
  }
  if (!is_single_target(target)) {
    if (kind == NodeKind::yield || kind == NodeKind::starred) return fail();
    return fail(node(target).begin, "illegal target for annotation");
  }
  advance();
  expression();
  if (accept("=")) yield_or_star_expressions();
}

void StatementParser::augmented_assignment(NodeId target) {
  if (!is_single_target(target)) {
    return fail(node(target).begin,
                "'" + describe(target) + "' is an illegal expression for augmented assignment");
  }
  advance();
  yield_or_star_expressions();
}

void StatementParser::keyword_only() { advance(); }

void StatementParser::return_statement() {
  advance();
  if (at("*") || at_expression()) star_expressions();
}

void StatementParser::raise_statement() {
  advance();
  if (!at_expression()) return;
  expression();
  if (accept("from")) expression();
}

void StatementParser::delete_statement() {
  advance();
  NodeId targets = star_expressions();
  if (at(TokenKind::newline) || at(";")) {
    check_target(targets, Target::remove);
  } else {
    fail();
  }
}

void StatementParser::assert_statement() {
  advance();
  expression();
  if (accept(",")) expression();
}

void StatementParser::names_statement() {
  advance();
  do {
    expect_name();
  } while (accept(","));
}

void StatementParser::dotted_name() {
  do {
    expect_name();
  } while (accept("."));
}

void StatementParser::import_statement() {
  advance();
  do {
    dotted_name();
    if (accept("as")) expect_name();
  } while (accept(","));
}

void StatementParser::from_statement() {
  advance();
  bool dots = false;
  while (accept(".") || accept("...")) dots = true;
  if (!dots || !at("import")) dotted_name();
  expect("import");
  import_targets();
}

void StatementParser::import_alias() {
  expect_name();
  if (accept("as")) expect_name();
}

void StatementParser::import_targets() {
  if (accept("*")) return;
  bool parenthesised = accept("(");
  import_alias();
  while (accept(",")) {
    if (parenthesised && at(")")) break;
    if (!parenthesised && at(TokenKind::newline)) {
      return fail("trailing comma not allowed without surrounding parentheses");
    }
    import_alias();
  }
  if (parenthesised) expect(")");
}

}  // namespace kbench::python
