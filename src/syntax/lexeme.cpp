#include "syntax/lexeme.hpp"

#include <algorithm>

namespace kbench::python {

Cursor::Cursor(std::string_view text, std::vector<Lexeme> lexemes)
    : text_(text), lexemes_(std::move(lexemes)) {}

const Lexeme& Cursor::lexeme(std::size_t ahead) const {
  return lexemes_[std::min(position_ + ahead, lexemes_.size() - 1)];
}

bool Cursor::at_name(std::size_t ahead) const {
  const Lexeme& next = lexeme(ahead);
  return next.kind == TokenKind::name && !next.keyword;
}

bool Cursor::at_any(std::initializer_list<Symbol> symbols) const {
  std::uint64_t next = lexeme().symbol;
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](Symbol symbol) { return symbol.value == next; });
}

bool Cursor::at_literal() const {
  return at_name() || at(TokenKind::number) || at(TokenKind::string) ||
         at_any({"None", "True", "False", "lambda"});
}

bool Cursor::at_expression() const {
  return at_literal() || at_any({"(", "[", "{", "-", "+", "~", "...", "not", "await"});
}

bool Cursor::accept(Symbol symbol) {
  if (!at(symbol)) return false;
  advance();
  return true;
}

bool Cursor::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

void Cursor::expect(Symbol symbol) {
  if (!accept(symbol)) fail();
}

void Cursor::expect_name() {
  if (!at_name()) return fail();
  advance();
}

std::size_t Cursor::previous_line_end() const {
  std::size_t i = position_;
  while (i > 0 && lexemes_[i - 1].kind == TokenKind::dedent) --i;
  return i == 0 ? 0 : lexemes_[i - 1].begin;
}

std::string Cursor::name_text() const {
  return std::string(text_.substr(begin(), lexeme().end - begin()));
}

void Cursor::fail() {
  if (at(TokenKind::indent)) return fail("unexpected indent");
  fail(at(TokenKind::dedent) ? "unexpected unindent" : "invalid syntax");
}

void Cursor::fail(std::size_t offset, std::string message) {
  if (!error_) error_ = SyntaxError{std::move(message), offset};
  position_ = lexemes_.size() - 1;
}

Indentation::Step Indentation::deeper(Width width) {
  if (stack_.size() > max_indentations) return {Fault::too_deep};
  if (width.narrow <= stack_.back().narrow) return {Fault::mixed};
  stack_.push_back(width);
  return {Fault::none, 1, 0};
}

Indentation::Step Indentation::to(Width width) {
  if (width.wide > stack_.back().wide) return deeper(width);
  Step step;
  while (stack_.size() > 1 && width.wide < stack_.back().wide) {
    stack_.pop_back();
    ++step.dedents;
  }
  if (width.wide != stack_.back().wide) {
    step.fault = Fault::mismatch;
  } else if (width.narrow != stack_.back().narrow) {
    step.fault = Fault::mixed;
  }
  return step;
}

}  // namespace kbench::python
