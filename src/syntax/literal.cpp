#include "syntax/literal.hpp"

#include <algorithm>
#include <array>

#include "syntax/unicode.hpp"

namespace kbench::python {
namespace {

// CPython's default bound on converting decimal text to an integer.
constexpr std::size_t max_decimal_digits = 4300;

struct Radix {
  char letter;
  int base;
  std::string_view name;
};
constexpr std::array<Radix, 3> radices = {
    {{'x', 16, "hexadecimal"}, {'o', 8, "octal"}, {'b', 2, "binary"}}};

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t begin) : text_(text), begin_(begin), at_(begin) {}

  NumberScan run() {
    if (peek() == '0') {
      for (const Radix& radix : radices)
        if ((peek(1) | 0x20) == radix.letter) return with_radix(radix);
    }
    return decimal();
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  NumberScan error(std::string message) const { return {at_, std::move(message)}; }

  NumberScan bad_digit(const Radix& radix) const {
    std::string name(radix.name);
    if (!is_digit(peek())) return error("invalid " + name + " literal");
    return error(std::string("invalid digit '") + peek() + "' in " + name + " literal");
  }

  NumberScan with_radix(const Radix& radix) {
    at_ += 2;
    do {
      if (peek() == '_') ++at_;
      if (digit_value(peek()) >= radix.base) return bad_digit(radix);
      while (digit_value(peek()) < radix.base) ++at_;
    } while (peek() == '_');
    if (is_digit(peek())) return bad_digit(radix);
    return finish(radix.name);
  }

  // Reads digits with single underscores between them; false where another character follows one.
  bool digits() {
    while (is_digit(peek())) {
      while (is_digit(peek())) ++at_;
      if (peek() != '_') return true;
      ++at_;
      if (!is_digit(peek())) return false;
    }
    return true;
  }

  bool exponent(bool sign) {
    at_ += sign ? 2 : 1;
    return is_digit(peek()) && digits();
  }

  NumberScan decimal() {
    if (!digits()) return error("invalid decimal literal");
    bool whole = true;
    if (peek() == '.') {
      ++at_;
      whole = false;
      if (is_digit(peek()) && !digits()) return error("invalid decimal literal");
    }
    if ((peek() | 0x20) == 'e') {
      bool sign = peek(1) == '+' || peek(1) == '-';
      if (!sign && !is_digit(peek(1))) return finish("decimal");  // "1else"
      if (!exponent(sign)) return error("invalid decimal literal");
      whole = false;
    }
    if ((peek() | 0x20) == 'j') {
      ++at_;
      return finish("imaginary");
    }
    return whole ? integer() : finish("decimal");
  }

  NumberScan integer() {
    std::string_view literal = text_.substr(begin_, at_ - begin_);
    if (literal[0] == '0' && literal.find_first_not_of("0_") != std::string_view::npos) {
      at_ = begin_;
      return error(
          "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal "
          "integers");
    }
    auto count = static_cast<std::size_t>(std::count_if(literal.begin(), literal.end(), is_digit));
    if (literal[0] != '0' && count > max_decimal_digits) {
      at_ = begin_;
      return error("Exceeds the limit (4300 digits) for integer string conversion: value has " +
                   std::to_string(count) + " digits");
    }
    return finish("decimal");
  }

  bool keyword_follows() const {
    if (peek() == 'i') return peek(1) == 'f' || peek(1) == 'n' || peek(1) == 's';
    for (std::string_view word : {"and", "else", "for", "not", "or"})
      if (text_.substr(at_, word.size()) == word && !is_name_byte(peek(word.size()))) return true;
    return false;
  }

  NumberScan finish(std::string_view name) const {
    if (is_name_byte(peek()) && !keyword_follows())
      return error("invalid " + std::string(name) + " literal");
    return {at_, ""};
  }

  std::string_view text_;
  std::size_t begin_;
  std::size_t at_;
};

}  // namespace

NumberScan scan_number(std::string_view text, std::size_t begin) {
  return Scanner(text, begin).run();
}

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
