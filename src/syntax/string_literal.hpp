// A string token: its prefix, its bytes and its escapes.
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

// Checks the bytes and the escapes of one string token. Escapes: language reference 2.4.1; names in
// \N{…} are not looked up. The insides of f-strings are not checked.
std::optional<SyntaxError> check_string(std::string_view text, const StringLiteral& literal);

}  // namespace kbench::python
