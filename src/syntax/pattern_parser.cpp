#include "syntax/pattern_parser.hpp"

namespace kbench::python {

void PatternParser::top_pattern() {
  bool star = maybe_star_pattern();
  if (star && !at(",")) return fail();
  while (accept(",")) {
    if (at(":") || at("if")) return;
    maybe_star_pattern();
  }
}

bool PatternParser::maybe_star_pattern() {
  if (!accept("*")) return pattern(), false;
  if (!accept("_")) capture_target();
  return true;
}

void PatternParser::pattern() {
  do {
    closed_pattern();
  } while (accept("|"));
  if (!accept("as")) return;
  if (at("_")) return fail("cannot use '_' as a target");
  if (!at_name() && at_expression()) return fail("invalid pattern target");
  capture_target();
}

void PatternParser::capture_target() {
  if (at("_")) return fail();
  expect_name();
  if (at_any({".", "(", "="})) fail();
}

void PatternParser::closed_pattern() {
  if (at("(")) return group_or_sequence();
  if (accept("[")) return sequence("]");
  if (at("{")) return mapping();
  if (accept("_")) return;
  if (at_name()) return name_pattern();
  literal();
}

void PatternParser::literal() {
  if (at(TokenKind::string)) {
    strings();
  } else if (at_any({"None", "True", "False"})) {
    advance();
  } else {
    signed_number();
  }
}

// A number, or the sum of a real and an imaginary one.
void PatternParser::signed_number() {
  auto imaginary = [&] { return (text_[lexeme().end - 1] | 0x20) == 'j'; };
  accept("-");
  if (!at(TokenKind::number)) return fail();
  bool real = !imaginary();
  std::size_t start = begin();
  advance();
  if (!accept("+") && !accept("-")) return;
  if (!real) return fail(start, "real number required in complex literal");
  if (!at(TokenKind::number)) return fail();
  if (!imaginary()) return fail("imaginary number required in complex literal");
  advance();
}

// A capture, a dotted value or a class.
void PatternParser::name_pattern() {
  advance();
  while (accept(".")) expect_name();
  if (accept("(")) return class_arguments();
  if (at("=")) fail();
}

void PatternParser::class_arguments() {
  bool keywords = false;
  bool positional = false;
  while (!at(")") && !failed()) {
    if (at_name() && at("=", 1)) {
      // CPython reads "_" as a positional wildcard and then stumbles over the '='.
      if (positional && !keywords && at("_")) return fail();
      keywords = true;
      advance();
      advance();
    } else if (keywords) {
      return fail("positional patterns follow keyword patterns");
    } else {
      positional = true;
    }
    pattern();
    if (!accept(",")) break;
  }
  if (!accept(")")) fail_in_brackets();
}

void PatternParser::group_or_sequence() {
  advance();
  if (accept(")")) return;
  bool star = maybe_star_pattern();
  if (!at(",")) {
    if (star || !accept(")")) fail_in_brackets();
    return;
  }
  advance();
  sequence(")");
}

// The items up to the closing bracket, and that.
void PatternParser::sequence(Symbol close) {
  while (!at(close) && !failed()) {
    maybe_star_pattern();
    if (!accept(",")) break;
  }
  if (!accept(close)) fail_in_brackets();
}

void PatternParser::mapping() {
  advance();
  while (!at("}") && !failed()) {
    if (accept("**")) {
      capture_target();
      accept(",");
      break;
    }
    mapping_key();
    expect(":");
    pattern();
    if (!accept(",")) break;
  }
  if (!accept("}")) fail_in_brackets();
}

void PatternParser::mapping_key() {
  if (!at_name()) return literal();
  advance();
  if (!at(".")) return fail();
  while (accept(".")) expect_name();
}

}  // namespace kbench::python
