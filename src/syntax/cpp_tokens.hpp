// The words of a source of C++, by hand: comments, strings and lines of the preprocessor are told
// apart from code, whatever their length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct CppToken {
  enum class Kind { word, symbol, literal, directive };  // symbol: one character, or "::", "->"
  Kind kind = Kind::word;
  std::string text;  // a literal as it stands there; a directive without its '#'
  bool begins_line = false;
  std::size_t begin = 0;  // first of its bytes in the source, [begin, end)
  std::size_t end = 0;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::word && text == word; }
};

// Tokens without comments. A token that is cut off ends with the text.
std::vector<CppToken> cpp_tokens(std::string_view source);

// The code that is compiled, without directives, in each of the ways in which `#if` and its
// alternatives may turn out: all first ones, all second ones, and so on. Code that `#if 0` leaves
// out is in none of them.
std::vector<std::vector<CppToken>> cpp_alternatives(const std::vector<CppToken>& tokens);

// The index of the bracket that closes the one at `open`, whatever stands between; the number of
// tokens where there is none.
std::size_t closing_bracket(const std::vector<CppToken>& tokens, std::size_t open);

}  // namespace kbench
