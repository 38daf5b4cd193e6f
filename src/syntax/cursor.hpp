// A place in the lexemes, and the first error. After an error the cursor stands on the last lexeme
// (`end`), where nothing matches: every loop of the parser ends by itself and no caller has to ask.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/lexeme.hpp"

namespace kbench::python {

class Cursor {
 public:
  Cursor(std::string_view text, std::vector<Lexeme> lexemes);

  bool failed() const { return error_.has_value(); }
  const std::optional<SyntaxError>& error() const { return error_; }

 protected:
  const Lexeme& lexeme(std::size_t ahead = 0) const;
  bool at(Symbol symbol, std::size_t ahead = 0) const {
    return lexeme(ahead).symbol == symbol.value;
  }
  bool at(TokenKind kind) const { return lexeme().kind == kind; }
  bool at_any(std::initializer_list<Symbol> symbols) const;
  bool at_name(std::size_t ahead = 0) const;  // a name that is no keyword
  bool at_literal() const;                    // a name, number, string, constant or lambda
  bool at_expression() const;                 // anything an expression starts with

  void advance() { position_ += position_ + 1 < lexemes_.size(); }
  bool accept(Symbol symbol);
  bool accept(TokenKind kind);
  void expect(Symbol symbol);
  void expect_name();

  std::size_t begin() const { return lexeme().begin; }
  std::size_t previous_end() const { return position_ == 0 ? 0 : lexemes_[position_ - 1].end; }
  std::size_t previous_line_end() const;  // of the last line that gave lexemes
  std::string name_text() const;          // the current lexeme's text

  void fail();  // "invalid syntax", or what the current lexeme says
  void fail(std::string message) { fail(begin(), std::move(message)); }
  void fail(std::size_t offset, std::string message);

  std::string_view text_;

 private:
  std::vector<Lexeme> lexemes_;
  std::size_t position_ = 0;
  std::optional<SyntaxError> error_;
};

}  // namespace kbench::python
