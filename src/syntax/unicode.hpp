// Classes of bytes, UTF-8 and the code points that identifiers may hold. PEP 3131 and Unicode
// Standard Annex 31, by the categories of utf8proc (Unicode 15). A few letters of Arabic, Thai and
// Lao whose normal forms are several are taken here, and refused by Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kbench::python {

// Classes of bytes ask no locale, which the C functions do, and take a negative char.

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_letter(char c) {
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'z';
}

// A byte of a name; bytes above 127 belong to one until the code point is looked up.
constexpr bool is_name_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 128;
}

// 0 to 15, 16 where c is no hexadecimal digit.
constexpr int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

constexpr bool is_line_break(char c) { return c == '\n' || c == '\r'; }

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;  // bytes, 0 where the text is no UTF-8 (surrogates and overlong forms too)
};

CodePoint decode_utf8(std::string_view text, std::size_t offset);

// `value` may be any code point above 127.
bool starts_identifier(std::uint32_t value);
bool continues_identifier(std::uint32_t value);
// Excludes spaces, controls and what is not assigned: CPython words their error differently.
bool is_printable(std::uint32_t value);

// The 1-based line of a byte; lines end in \n, \r\n or \r.
std::size_t line_of(std::string_view text, std::size_t offset);

}  // namespace kbench::python
