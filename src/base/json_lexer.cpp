#include "base/json_lexer.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/text.hpp"

namespace kbench::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of ASCII but quote, backslash and control characters: most of what strings hold.
constexpr std::array<bool, 256> is_plain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// Skips eight bytes at a time as long as all of them are plain.
std::size_t skip_plain(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x80 * ones;
  for (std::uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const std::uint64_t quotes = bytes ^ ('"' * ones), backslashes = bytes ^ ('\\' * ones);
    // The top bit is set in a byte that is below 0x20, equal to either or beyond ASCII.
    if (((bytes | (bytes - 0x20 * ones) | (quotes - ones) | (backslashes - ones)) & tops) != 0)
      break;
  }
  while (at < text.size() && is_plain[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four hexadecimal digits, -1 if there are not four.
int hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = hex_digit(c);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// Levels that a character leads deeper (1) or less deep (-1).
int nesting(char c) {
  if (c == '{' || c == '[') return 1;
  return c == '}' || c == ']' ? -1 : 0;
}

}  // namespace

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

Escape read_escape(std::string_view text) {
  if (text.size() < 2) return {};
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view values = "\"\\/\b\f\n\r\t";
  if (const auto i = names.find(text[1]); i != std::string_view::npos)
    return {2, static_cast<unsigned char>(values[i])};
  const int high = text[1] == 'u' ? hex4(text.substr(2)) : -1;
  if (high < 0) return {};
  if (high < 0xD800 || high > 0xDFFF) return {6, static_cast<std::uint32_t>(high)};
  // A surrogate pair; half of one is no character.
  if (high > 0xDBFF || text.substr(6, 2) != "\\u") return {};
  const int low = hex4(text.substr(8));
  if (low < 0xDC00 || low > 0xDFFF) return {};
  return {12, 0x10000U + (static_cast<std::uint32_t>(high - 0xD800) << 10) +
                  static_cast<std::uint32_t>(low - 0xDC00)};
}

void Lexer::skip_comments() {
  for (;;) {
    const bool block = text_.substr(at_, 2) == "/*";
    if (peek() != '#' && text_.substr(at_, 2) != "//" && !block) return;
    error(at_, "JSON has no comments", "move it into a \"description\"");
    const std::size_t end = block ? text_.find("*/", at_ + 2) : text_.find('\n', at_);
    at_ = std::min(end, text_.size());
    if (block) at_ = std::min(at_ + 2, text_.size());
    skip_white();
  }
}

// ---- numbers and words ----

// Tells whether there is one.
bool Lexer::skip_digits() {
  const std::size_t begin = at_;
  std::size_t at = begin;  // a member would be stored for every digit
  while (at < text_.size() && is_digit(text_[at])) ++at;
  at_ = at;
  return at > begin;
}

// Skips what follows the 'e'.
bool Lexer::skip_exponent() {
  if (peek() == '+' || peek() == '-') ++at_;
  return skip_digits();
}

std::string_view Lexer::number(Kind& kind) {
  const std::size_t begin = at_;
  accept('-');
  kind = Kind::number;
  if (text_.substr(at_, 8) == "Infinity") {
    at_ += 8;
    return since(begin);
  }
  const std::size_t first = at_;
  bool good = skip_digits();
  if (at_ > first + 1 && text_[first] == '0') good = false;
  const std::size_t whole_end = at_;
  if (accept('.')) good &= skip_digits();
  if (accept('e') || accept('E')) good &= skip_exponent();
  if (at_ == whole_end) kind = Kind::integer;
  while (is_word(peek())) {
    good = false;
    ++at_;
  }
  if (!good) {
    kind = Kind::broken;
    error(begin, fmt::format("'{}' is no JSON number", since(begin)),
          "numbers are written as 1, 0.5 or -2e3");
  }
  return since(begin);
}

std::string_view Lexer::word() const {
  std::size_t stop = at_;
  while (stop < text_.size() && is_word(text_[stop])) ++stop;
  return text_.substr(at_, stop - at_);
}

std::string_view Lexer::bare_key() {
  const std::size_t begin = at_;
  while (is_word(peek()) || peek() == '\'') ++at_;
  return since(begin);
}

// ---- strings ----

std::string_view Lexer::string(Kind& kind) {
  kind = Kind::string;
  const std::size_t open = at_++;
  const std::size_t begin = at_;
  const Content content = skip_content();
  const std::string_view raw = since(begin);
  if (!accept('"')) {
    kind = Kind::broken;
    error(open, "string without a closing quote", "a line break in a string is written \\n");
  }
  if (content.beyond_ascii) {
    const std::size_t bad = find_invalid_utf8(raw);
    if (bad != std::string_view::npos) error(begin + bad, "invalid UTF-8");
  }
  return content.escapes ? unescape(raw, begin) : raw;
}

// Skips to the closing quote; without one, to the end of the line.
Lexer::Content Lexer::skip_content() {
  Content content;
  while ((at_ = skip_plain(text_, at_)) < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '\\') {
      content.escapes = true;
      at_ += at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
      continue;
    }
    if (c < 0x20) error(at_, "control character in a string", "write it as \\u00XX");
    if (c >= 0x80) content.beyond_ascii = true;
    ++at_;
  }
  return content;
}

std::string_view Lexer::unescape(std::string_view raw, std::size_t offset) {
  char* const decoded = static_cast<char*>(memory_.allocate(raw.size(), 1));
  char* out = decoded;
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\') {
      *out++ = raw[i++];
      continue;
    }
    const Escape escape = read_escape(raw.substr(i));
    if (escape.length == 0) {
      error(offset + i, fmt::format("invalid escape '{}'", raw.substr(i, 2)),
            "a backslash is written \\\\");
      *out++ = raw[i++];
      continue;
    }
    out = append_utf8(out, escape.code_point);
    i += escape.length;
  }
  return {decoded, static_cast<std::size_t>(out - decoded)};
}

// ---- after a mistake ----

// A string whose own mistakes do not matter any more.
void Lexer::skip_quoted() {
  ++at_;
  while (!at_end() && text_[at_] != '"' && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
  at_ = std::min(at_ + 1, text_.size());
}

bool Lexer::at_key() const {
  if (peek() != '"') return false;
  const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
  if (end == std::string_view::npos) return false;
  const std::size_t next = text_.find_first_not_of(" \t", end + 1);
  return next != std::string_view::npos && text_[next] == ':';
}

void Lexer::recover() {
  int depth = 0;
  while (!at_end()) {
    const char c = text_[at_];
    if (c == '"') {
      skip_quoted();
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
    depth += nesting(c);
    ++at_;
  }
}

std::string Lexer::seen() const {
  if (at_end()) return "the end of the text";
  std::size_t length = std::min<std::size_t>(word().size(), 24);
  if (length == 0) {  // a character, all of its UTF-8
    do ++length;
    while (at_ + length < text_.size() && continues_character(text_[at_ + length]));
  }
  return fmt::format("'{}'", text_.substr(at_, length));
}

std::string Lexer::seen_value() const {
  if (peek() != '"') return seen();
  std::size_t stop = at_ + 1;
  while (stop < text_.size() && text_[stop] != '"' && text_[stop] != '\n' && stop - at_ < 40)
    ++stop;
  if (stop < text_.size() && text_[stop] == '"') ++stop;
  return std::string(text_.substr(at_, stop - at_));
}

}  // namespace kbench::json
