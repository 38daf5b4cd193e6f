// The patterns of match statements: language reference 8.6.4.
#pragma once

#include "syntax/expression_parser.hpp"

namespace kbench::python {

class PatternParser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

 protected:
  void top_pattern();  // behind "case": commas and a star are allowed

 private:
  void pattern();
  bool maybe_star_pattern();  // whether it had a star
  void closed_pattern();
  void capture_target();
  void literal();
  void signed_number();
  void name_pattern();
  void class_arguments();
  void group_or_sequence();
  void sequence(Symbol close);
  void mapping();
  void mapping_key();
};

}  // namespace kbench::python
