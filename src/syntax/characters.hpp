// Classes of bytes. No locale: the C functions ask it, and take no negative char.
#pragma once

namespace kbench::python {

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

}  // namespace kbench::python
