// Functions and statements of a module: language reference chapters 7 and 8.
#pragma once

#include "syntax/expression_parser.hpp"

namespace kbench::python {

// Reads lines, blocks and expressions. The grammar of each statement is the business of the
// program that runs the text: `f() = 1` and a `try` without its `except` are read as well.
class ModuleReader : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  // Reads all statements; the module is of no use if the reader failed.
  Module module();

 private:
  void statement();
  void function(std::size_t first);
  void compound(std::size_t first);
  void cases(std::size_t line);
  void header();
  void skip_header();
  // Reads the body behind a ':'. `what` it belongs to, and the byte where its line begins, are for
  // the error.
  void block(const std::string& what, std::size_t line);
  void simple_statements();
  void simple_statement();
  void expressions();
  bool at_match() const;
  void collect(std::string keyword, std::size_t begin, std::size_t end);

  Module module_;
  unsigned nesting_ = 0;  // compound statements around the current one
};

}  // namespace kbench::python
