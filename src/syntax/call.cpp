// Arguments of calls: language reference 6.3.4.
#include "syntax/expression_parser.hpp"

namespace kbench::python {

struct ExpressionParser::ArgumentState {
  std::size_t count = 0;
  bool keyword = false;   // after name=value
  bool unpacked = false;  // after **mapping
};

void ExpressionParser::arguments(NodeId call) {
  ArgumentState state;
  while (!at(")") && !failed()) {
    argument(call, state);
    ++state.count;
    if (!accept(",")) break;
  }
  if (!accept(")")) fail_in_brackets();
}

void ExpressionParser::argument(NodeId call, ArgumentState& state) {
  if (at("*")) {
    if (state.unpacked) {
      fail("iterable argument unpacking follows keyword argument unpacking");
    }
    append(call, starred(true));
  } else if (at("**")) {
    std::size_t start = begin();
    advance();
    state.unpacked = true;
    append(call, with_children(NodeKind::starred, start, {expression()}));
  } else if (at_name() && at("=", 1)) {
    advance();
    advance();
    state.keyword = true;
    append(call, expression());
    if (at_for()) fail("invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  } else {
    positional_argument(call, state);
  }
}

void ExpressionParser::positional_argument(NodeId call, ArgumentState& state) {
  std::size_t start = begin();
  bool constant = at_any({"True", "False", "None"}) && at("=", 1);
  if (constant) fail("cannot assign to " + std::string(text_.substr(start, lexeme().end - start)));
  NodeId value = named_expression();
  if (at("=")) fail(start, "expression cannot contain assignment, perhaps you meant \"==\"?");
  if (at_for()) {
    value = comprehension(NodeKind::generator, value, start);
    if (state.count > 0 || at(",")) fail(start, "Generator expression must be parenthesized");
  }
  if (state.unpacked) fail(start, "positional argument follows keyword argument unpacking");
  if (state.keyword) fail(start, "positional argument follows keyword argument");
  append(call, value);
}

}  // namespace kbench::python
