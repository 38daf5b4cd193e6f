// Numeric and string literals.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "syntax/lexeme.hpp"

namespace kbench::python {

struct NumberScan {
  std::size_t end = 0;  // end of the literal, or where it goes wrong
  std::string error;    // "" where the literal is right
};

// Language reference 2.4.4 to 2.4.7, with CPython's rule that a keyword may follow a number
// directly ("1if x else 2"). Reads the literal at `begin`, which is at a digit or at a '.' before a
// digit.
NumberScan scan_number(std::string_view text, std::size_t begin);

struct StringLiteral {
  bool raw = false;
  bool bytes = false;
  bool format = false;
  std::size_t begin = 0;  // start of what stands between the quotes
  std::size_t end = 0;
};

StringLiteral read_string(std::string_view text, const Lexeme& lexeme);

// Checks the bytes and the escapes of one string token. Escapes: language reference 2.4.1; names in
// \N{…} are not looked up. The insides of f-strings are not checked.
std::optional<SyntaxError> check_string(std::string_view text, const StringLiteral& literal);

}  // namespace kbench::python
