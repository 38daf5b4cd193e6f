// The tokens as the parser reads them, a place in them, and the stack of indentations that some are
// made by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "syntax/python.hpp"

namespace kbench::python {

// The bytes of an operator or of a name of at most 8 bytes (every keyword) in one integer, so that
// the parser compares integers; 0 for anything longer.
constexpr std::uint64_t pack(std::string_view text) {
  if (text.size() > 8) return 0;
  std::uint64_t value = 0;
  for (char c : text) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// An operator or keyword written in the parser's own source.
struct Symbol {
  std::uint64_t value;
  template <std::size_t N>
  consteval Symbol(const char (&text)[N]) : value(pack({text, N - 1})) {
    static_assert(N >= 2 && N <= 9);
  }
};

struct Lexeme {
  TokenKind kind = TokenKind::end;
  bool keyword = false;
  std::uint64_t symbol = 0;  // packed text of names and operators, 0 for every other kind
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The kind of a text decides how its first line and its end are read.
enum class Source { module, expression };

// Returns the lexemes of a text; the last one is `end`.
// Python's language reference 2.1 (lines, indentation) and 2.2 to 2.6 (tokens).
std::variant<std::vector<Lexeme>, SyntaxError> lex(std::string_view text, Source source);

// The bounds that CPython 3.11 sets.
inline constexpr std::size_t max_brackets = 200;
inline constexpr std::size_t max_indentations = 99;

// A place in the lexemes, and the first error. After an error the cursor stands on the last lexeme
// (`end`), where nothing matches: every loop of the parser ends by itself and no caller has to ask.
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
  std::size_t previous_line_end() const;  // end of the last line that gave lexemes
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

// The width of a line's leading space, once with tabs to the next multiple of 8 and once with tabs
// of one column: the two must rank every pair of lines alike, or the text mixes tabs and spaces.
struct Width {
  std::size_t wide = 0;
  std::size_t narrow = 0;
};

// The stack of indentations of language reference 2.1.8.
class Indentation {
 public:
  enum class Fault { none, mixed, mismatch, too_deep };
  struct Step {
    Fault fault = Fault::none;
    std::size_t indents = 0;
    std::size_t dedents = 0;
  };

  // Moves to a line of this width.
  Step to(Width width);

 private:
  Step deeper(Width width);

  std::vector<Width> stack_ = {{}};
};

}  // namespace kbench::python
