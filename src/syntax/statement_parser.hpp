// Statements: language reference chapters 7 and 8.
#pragma once

#include "syntax/pattern_parser.hpp"

namespace kbench::python {

class StatementParser : public PatternParser {
 public:
  using PatternParser::PatternParser;

  // Reads all statements; what it collected is of no use where it failed.
  Module module();

 private:
  using Rule = void (StatementParser::*)();
  struct KeywordRule {
    Symbol keyword;
    Rule rule;
  };
  static Rule compound_rule(const Lexeme& lexeme);
  static Rule simple_rule(const Lexeme& lexeme);

  void statement();
  void compound_statement(Rule rule);
  void simple_statements();
  void simple_statement();
  // The body behind a ':'; `what` it belongs to, which began at byte `start`, is for the error.
  void block(const char* what, std::size_t start);
  void fail_without_block(const char* what, std::size_t start);
  void collect(std::string keyword, std::size_t begin, std::size_t end);

  // Simple statements.
  void expression_statement();
  void assignment(NodeId first);
  void annotated_assignment(NodeId target);
  void augmented_assignment(NodeId target);
  void fail_after_expression(NodeId id);
  bool at_augmented() const;
  void keyword_only();  // pass, break, continue
  void return_statement();
  void raise_statement();
  void delete_statement();
  void assert_statement();
  void names_statement();  // global, nonlocal
  void import_statement();
  void from_statement();
  void import_targets();
  void import_alias();
  void dotted_name();

  // Compound statements.
  void if_statement();
  void while_statement();
  void for_statement();
  void with_statement();
  bool parenthesised_with_items();
  void with_item();
  void try_statement();
  bool except_clause(bool first, bool star);
  void else_block();
  void finally_block();
  void class_definition();
  void function_definition();
  void async_statement();
  void decorated();
  bool match_statement();
  bool match_header();
  void case_block();
  void condition(const char* what, std::size_t start);

  Module module_;
  unsigned nesting_ = 0;             // compound statements around the current one
  std::size_t statement_begin_ = 0;  // of the current statement, its decorators included
};

}  // namespace kbench::python
