#include "syntax/string_literal.hpp"

#include <algorithm>

#include "syntax/characters.hpp"

namespace kbench::python {

namespace {

struct Escape {
  std::size_t size = 0;  // bytes after the backslash
  std::string error;
};

std::string escape_name(char letter) {
  std::string name = std::string("\\") + letter;
  return "truncated " + name +
         std::string(letter == 'x'   ? 2
                     : letter == 'u' ? 4
                                     : 8,
                     'X') +
         " escape";
}

std::string unicode_error(std::size_t from, std::size_t to, const std::string& reason) {
  return "(unicode error) 'unicodeescape' codec can't decode bytes in position " +
         std::to_string(from) + "-" + std::to_string(to) + ": " + reason;
}

// \x, \u and \U: a fixed number of hexadecimal digits.
Escape hexadecimal(std::string_view rest, std::size_t digits) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    int digit = i + 1 < rest.size() ? digit_value(rest[i + 1]) : 16;
    if (digit == 16) return {i + 1, escape_name(rest[0])};
    value = value << 4 | static_cast<std::uint32_t>(digit);
  }
  if (value > 0x10FFFF) return {digits + 1, "illegal Unicode character"};
  return {digits + 1, ""};
}

Escape named(std::string_view rest) {
  constexpr const char* malformed = "malformed \\N character escape";
  if (rest.substr(0, 2) != "N{") return {1, malformed};
  std::size_t close = std::min(rest.find('}'), rest.size());
  if (close == rest.size() || close == 2) return {close, malformed};
  return {close + 1, ""};
}

Escape read_escape(std::string_view rest, bool bytes) {
  if (rest.empty()) return {};
  if (rest[0] == 'x') return hexadecimal(rest, 2);
  if (bytes) return {1, ""};
  if (rest[0] == 'u') return hexadecimal(rest, 4);
  if (rest[0] == 'U') return hexadecimal(rest, 8);
  if (rest[0] == 'N') return named(rest);
  return {1, ""};
}

std::optional<SyntaxError> check_escapes(std::string_view text, std::size_t begin, std::size_t end,
                                         bool bytes) {
  std::string_view body = text.substr(0, end);
  for (std::size_t at = begin; (at = body.find('\\', at)) != std::string_view::npos;) {
    Escape escape = read_escape(body.substr(at + 1), bytes);
    if (!escape.error.empty()) {
      std::size_t from = at - begin;
      if (bytes)
        return SyntaxError{"(value error) invalid \\x escape at position " + std::to_string(from),
                           at};
      return SyntaxError{unicode_error(from, from + escape.size, escape.error), at};
    }
    at += 1 + escape.size;
  }
  return {};
}

}  // namespace

StringLiteral read_string(std::string_view text, const Lexeme& lexeme) {
  StringLiteral literal;
  std::size_t at = lexeme.begin;
  for (; text[at] != '"' && text[at] != '\''; ++at) {
    char letter = static_cast<char>(text[at] | 0x20);
    literal.raw |= letter == 'r';
    literal.bytes |= letter == 'b';
    literal.format |= letter == 'f';
  }
  bool triple = lexeme.end - at >= 6 && text[at + 1] == text[at] && text[at + 2] == text[at];
  literal.begin = at + (triple ? 3 : 1);
  literal.end = lexeme.end - (triple ? 3 : 1);
  return literal;
}

std::optional<SyntaxError> check_string(std::string_view text, const StringLiteral& literal) {
  std::string_view body = text.substr(literal.begin, literal.end - literal.begin);
  if (literal.bytes) {
    for (char c : body) {
      if (static_cast<unsigned char>(c) < 128) continue;
      return SyntaxError{"bytes can only contain ASCII literal characters", literal.begin};
    }
  }
  if (literal.format || literal.raw) return {};
  return check_escapes(text, literal.begin, literal.end, literal.bytes);
}

}  // namespace kbench::python
