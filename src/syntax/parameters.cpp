// Parameters of functions and lambdas: language reference 8.7 and 6.14.

#include "syntax/expression_parser.hpp"

namespace kbench::python {

struct ExpressionParser::ParameterState {
  ParameterList list;
  std::vector<Parameter>* out;
  std::size_t count = 0;
  bool slash = false;
  bool star = false;
  bool bare_star = false;  // set until a name follows it
  bool defaults = false;
  bool closed = false;  // set by **name

  Symbol close() const { return list == ParameterList::lambda ? Symbol(":") : Symbol(")"); }
  void add(Parameter parameter) const {
    if (out != nullptr) out->push_back(std::move(parameter));
  }
};

void ExpressionParser::parameters(ParameterList list, std::vector<Parameter>* out) {
  ParameterState state{list, out};
  while (!at(state.close()) && !failed()) {
    if (state.closed) return fail("arguments cannot follow var-keyword argument");
    parameter(state);
    ++state.count;
    if (!accept(",")) break;
  }
  if (state.bare_star) fail("named arguments must follow bare *");
}

void ExpressionParser::parameter(ParameterState& state) {
  if (at("*")) {
    star_parameter(state);
  } else if (at("**")) {
    double_star_parameter(state);
  } else if (at("/")) {
    slash(state);
  } else if (at("(")) {
    fail(state.list == ParameterList::lambda
             ? "Lambda expression parameters cannot be parenthesized"
             : "Function parameters cannot be parenthesized");
  } else {
    plain_parameter(state);
  }
}

void ExpressionParser::slash(ParameterState& state) {
  if (state.star) return fail("/ must be ahead of *");
  if (state.slash) return fail("/ may appear only once");
  if (state.count == 0) return fail("at least one argument must precede /");
  state.slash = true;
  advance();
  if (at("*")) fail("expected comma between / and *");
}

// ": annotation", or nothing. *args may have ": *type".
void ExpressionParser::annotation(ParameterState& state, Parameter& parameter) {
  if (state.list == ParameterList::lambda || !accept(":")) return;
  std::size_t start = begin();
  if (parameter.kind == Parameter::Kind::var_positional) {
    star_expression();
  } else {
    expression();
  }
  parameter.annotation = text_.substr(start, failed() ? 0 : previous_end() - start);
}

void ExpressionParser::star_parameter(ParameterState& state) {
  if (state.star) return fail("* argument may appear only once");
  state.star = true;
  advance();
  if (!at_name()) {
    state.bare_star = true;
    if (!at(",")) at(state.close()) ? fail("named arguments must follow bare *") : fail();
    return;
  }
  Parameter parameter{.name = name_text(), .kind = Parameter::Kind::var_positional};
  advance();
  annotation(state, parameter);
  if (at("=")) fail("var-positional argument cannot have default value");
  state.add(std::move(parameter));
}

void ExpressionParser::double_star_parameter(ParameterState& state) {
  if (state.bare_star) return fail("named arguments must follow bare *");
  advance();
  Parameter parameter{.name = name_text(), .kind = Parameter::Kind::var_keyword};
  expect_name();
  annotation(state, parameter);
  if (at("=")) fail("var-keyword argument cannot have default value");
  state.closed = true;
  state.add(std::move(parameter));
}

void ExpressionParser::plain_parameter(ParameterState& state) {
  std::size_t name_begin = begin();
  Parameter parameter{.name = name_text()};
  if (state.star) parameter.kind = Parameter::Kind::keyword_only;
  expect_name();
  annotation(state, parameter);
  if (accept("=")) {
    if (at(",") || at(state.close())) fail("expected default value expression");
    std::size_t start = begin();
    expression();
    parameter.has_default = true;
    parameter.default_value = text_.substr(start, failed() ? 0 : previous_end() - start);
  } else if (state.defaults && !state.star) {
    return fail(name_begin, "non-default argument follows default argument");
  }
  state.defaults = state.defaults || parameter.has_default;
  state.bare_star = false;
  state.add(std::move(parameter));
}

// Arguments of calls: language reference 6.3.4.

struct ExpressionParser::ArgumentState {
  std::size_t count = 0;
  bool keyword = false;   // set after name=value
  bool unpacked = false;  // set after **mapping
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
    if (state.unpacked) fail("iterable argument unpacking follows keyword argument unpacking");
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
