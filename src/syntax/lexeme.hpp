// The tokens as the parser reads them.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace kbench::python
