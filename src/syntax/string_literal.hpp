// What a string token says: escapes, and the expressions inside an f-string.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "syntax/lexeme.hpp"

namespace kbench::python {

struct StringLiteral {
  bool raw = false;
  bool bytes = false;
  bool format = false;
  std::size_t begin = 0;  // of what stands between the quotes
  std::size_t end = 0;
};

StringLiteral read_string(std::string_view text, const Lexeme& lexeme);

// Checks one string token. Escapes: language reference 2.4.1; names in \N{…} are not looked up.
// F-strings as Python 3.11 reads them (PEP 498, not PEP 701): no backslash and no # inside the
// braces. `depth` is how deep the string stands in other expressions.
std::optional<SyntaxError> check_string(std::string_view text, const StringLiteral& literal,
                                        unsigned depth);

// The escapes of bytes [begin, end).
std::optional<SyntaxError> check_escapes(std::string_view text, std::size_t begin, std::size_t end,
                                         bool bytes);

// An f-string's braces, and its escapes unless it is raw.
std::optional<SyntaxError> check_format(std::string_view text, const StringLiteral& literal,
                                        unsigned depth);

}  // namespace kbench::python
