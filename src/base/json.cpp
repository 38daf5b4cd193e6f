#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/utf8.hpp"

namespace kbench::json {
namespace {

constexpr int max_depth = 200;  // Python's json and pydantic give up near this, too

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
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
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(text[static_cast<std::size_t>(i)]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// One escape sequence: how many bytes of source it takes (0: it is none), what it stands for.
struct Escape {
  std::size_t length = 0;
  std::uint32_t code_point = 0;
};

Escape read_escape(std::string_view text) {
  if (text.size() < 2) return {};
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view values = "\"\\/\b\f\n\r\t";
  if (const auto i = names.find(text[1]); i != std::string_view::npos) {
    return {2, static_cast<unsigned char>(values[i])};
  }
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

class Parser {
 public:
  Parser(const Source& source, std::size_t begin, std::size_t end, Memory& memory, Diagnostics& out)
      : source_(source), text_(source.text), at_(begin), end_(end), memory_(memory), out_(out) {}

  Value document() {
    Value value = parse_value(0);
    skip_space();
    if (at_ < end_ && !gave_up_) error(at_, "text after the end of the JSON value");
    return value;
  }

 private:
  void error(std::size_t at, std::string message, std::string hint = "") {
    out_.error(locate(source_, at), std::move(message), std::move(hint));
  }

  char peek() const { return at_ < end_ ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < end_ && is_space(text_[at_])) ++at_;
    while (peek() == '#' || (peek() == '/' && at_ + 1 < end_ && text_[at_ + 1] == '/')) {
      error(at_, "JSON has no comments", "move it into a \"description\"");
      while (at_ < end_ && text_[at_] != '\n') ++at_;
      while (at_ < end_ && is_space(text_[at_])) ++at_;
    }
  }

  // What stands here, for a message: a quoted word or character.
  std::string seen() const {
    if (at_ >= end_) return "the end of the text";
    std::size_t stop = at_ + 1;
    if (is_word(text_[at_])) {
      while (stop < end_ && is_word(text_[stop]) && stop - at_ < 24) ++stop;
    } else {
      while (stop < end_ && (static_cast<unsigned char>(text_[stop]) & 0xC0) == 0x80) ++stop;
    }
    return fmt::format("'{}'", std::string_view(text_).substr(at_, stop - at_));
  }

  Value parse_value(int depth) {
    skip_space();
    Value value;
    value.begin = static_cast<std::uint32_t>(at_);
    if (depth > max_depth) {
      error(at_, fmt::format("nested more than {} levels deep", max_depth));
      give_up();
    } else if (peek() == '{') {
      parse_object(value, depth);
    } else if (peek() == '[') {
      parse_array(value, depth);
    } else if (peek() == '"') {
      value.kind = Kind::string;
      value.text = parse_string();
    } else if (peek() == '-' || is_digit(peek())) {
      parse_number(value);
    } else {
      parse_word(value);
    }
    value.end = static_cast<std::uint32_t>(at_);
    return value;
  }

  void give_up() {
    gave_up_ = true;
    at_ = end_;
  }

  void parse_word(Value& value) {
    std::size_t stop = at_;
    while (stop < end_ && is_word(text_[stop])) ++stop;
    const std::string_view word = std::string_view(text_).substr(at_, stop - at_);
    if (word == "true" || word == "false") {
      value.kind = Kind::boolean;
      value.truth = word == "true";
    } else if (word == "NaN" || word == "Infinity") {
      value.kind = Kind::number;
      value.text = word;
    } else if (word != "null") {
      const bool python = word == "None" || word == "True" || word == "False";
      error(at_, fmt::format("expected a value, found {}", seen()),
            python ? "JSON writes null, true and false" : "");
      if (word.empty()) recover();
    }
    if (!word.empty()) at_ = stop;
  }

  std::size_t digits(std::size_t at) const {
    while (at < end_ && is_digit(text_[at])) ++at;
    return at;
  }

  void parse_number(Value& value) {
    const std::size_t begin = at_;
    const std::size_t first = begin + (text_[begin] == '-' ? 1 : 0);
    if (std::string_view(text_).substr(first, 8) == "Infinity" && first + 8 <= end_) {
      value.kind = Kind::number;
      at_ = first + 8;
      value.text = std::string_view(text_).substr(begin, at_ - begin);
      return;
    }
    std::size_t stop = digits(first);
    bool good = stop > first && (text_[first] != '0' || stop == first + 1);
    value.kind = Kind::integer;
    if (stop < end_ && text_[stop] == '.') {
      value.kind = Kind::number;
      const std::size_t fraction = stop + 1;
      stop = digits(fraction);
      good = good && stop > fraction;
    }
    if (stop < end_ && (text_[stop] == 'e' || text_[stop] == 'E')) {
      value.kind = Kind::number;
      std::size_t exponent = stop + 1;
      if (exponent < end_ && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
      stop = digits(exponent);
      good = good && stop > exponent;
    }
    while (stop < end_ && is_word(text_[stop])) {
      good = false;
      ++stop;
    }
    at_ = stop;
    value.text = std::string_view(text_).substr(begin, stop - begin);
    if (!good) error(begin, fmt::format("'{}' is no JSON number", value.text));
  }

  // Past the closing quote. Without escapes the string is a view of the text itself.
  std::string_view parse_string() {
    const std::size_t open = at_++;
    const std::size_t begin = at_;
    bool escaped = false;
    bool ascii = true;
    while (at_ < end_ && text_[at_] != '"') {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '\n') break;
      if (c < 0x20) error(at_, "control character in a string", "write it as \\u00XX");
      if (c >= 0x80) ascii = false;
      if (c == '\\') escaped = true;
      at_ += c == '\\' && at_ + 1 < end_ && text_[at_ + 1] != '\n' ? 2 : 1;
    }
    const std::string_view raw = std::string_view(text_).substr(begin, std::min(at_, end_) - begin);
    if (at_ < end_ && text_[at_] == '"') {
      ++at_;
    } else {
      at_ = std::min(at_, end_);
      error(open, "string without a closing quote", "a line break in a string is written \\n");
    }
    if (!ascii) {
      const std::size_t bad = find_invalid_utf8(raw);
      if (bad != std::string_view::npos) error(begin + bad, "invalid UTF-8");
    }
    return escaped ? unescape(raw, begin) : raw;
  }

  std::string_view unescape(std::string_view raw, std::size_t offset) {
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

  // After a mistake: to the next place where the enclosing list can go on.
  void recover() {
    int depth = 0;
    while (at_ < end_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        while (at_ < end_ && text_[at_] != '"' && text_[at_] != '\n')
          at_ += text_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_, end_);
        if (at_ < end_) ++at_;
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    }
  }

  // Between the elements of an object or array. True: another element follows.
  bool next_element(char close, std::size_t previous_end) {
    skip_space();
    if (peek() == close) {
      ++at_;
      return false;
    }
    if (peek() == ',') {
      const std::size_t comma = at_++;
      skip_space();
      while (peek() == ',') {
        error(at_, "two commas in a row");
        ++at_;
        skip_space();
      }
      if (peek() != close) return at_ < end_ || unclosed(close);
      error(comma, fmt::format("trailing comma before '{}'", close),
            "JSON has no comma after the last element; remove it");
      ++at_;
      return false;
    }
    if (at_ >= end_) return unclosed(close);
    if (peek() == '}' || peek() == ']') {
      error(at_, fmt::format("expected ',' or '{}', found '{}'", close, peek()));
      ++at_;
      return false;
    }
    if (peek() == '"' || peek() == '{' || peek() == '[' || is_word(peek()) || peek() == '-') {
      error(previous_end, "missing comma",
            fmt::format("put ',' after this value, before {}", next_words()));
      return true;
    }
    error(at_, fmt::format("expected ',' or '{}', found {}", close, seen()));
    recover();
    return peek() == ',' ? next_element(close, at_) : next_element(close, previous_end);
  }

  std::string next_words() const {
    std::size_t stop = at_ + 1;
    if (peek() == '"') {
      while (stop < end_ && text_[stop] != '"' && text_[stop] != '\n' && stop - at_ < 40) ++stop;
      if (stop < end_ && text_[stop] == '"') ++stop;
      return std::string(std::string_view(text_).substr(at_, stop - at_));
    }
    return seen();
  }

  bool unclosed(char close) {
    if (!gave_up_) error(end_, fmt::format("the text ends, '{}' is missing", close));
    give_up();
    return false;
  }

  void parse_array(Value& value, int depth) {
    value.kind = Kind::array;
    ++at_;
    const std::size_t base = items_.size();
    skip_space();
    bool more = peek() != ']' || (++at_, false);
    if (more && at_ >= end_) more = unclosed(']');
    while (more) {
      Value item = parse_value(depth + 1);
      const std::size_t item_end = at_;
      items_.push_back(item);
      more = next_element(']', item_end);
    }
    value.items = keep<Value>(items_, base);
  }

  void parse_object(Value& value, int depth) {
    value.kind = Kind::object;
    ++at_;
    const std::size_t base = members_.size();
    skip_space();
    bool more = peek() != '}' || (++at_, false);
    if (more && at_ >= end_) more = unclosed('}');
    while (more) {
      skip_space();
      const std::optional<Member> member = parse_member(depth);
      const std::size_t member_end = at_;
      if (member) members_.push_back(*member);
      more = next_element('}', member_end);
    }
    value.members = keep<Member>(members_, base);
    warn_of_duplicates(value.members);
  }

  std::optional<Member> parse_member(int depth) {
    Member member;
    member.key_begin = static_cast<std::uint32_t>(at_);
    if (peek() == '"') {
      member.key = parse_string();
    } else if (is_word(peek()) || peek() == '\'') {
      error(at_, fmt::format("expected a key in double quotes, found {}", seen()));
      const std::size_t begin = at_;
      while (at_ < end_ && (is_word(text_[at_]) || text_[at_] == '\'')) ++at_;
      member.key = std::string_view(text_).substr(begin, at_ - begin);
    } else {
      error(at_, fmt::format("expected a key in double quotes, found {}", seen()));
      recover();
      return std::nullopt;
    }
    skip_space();
    if (peek() != ':') {
      error(at_, fmt::format("expected ':' after the key, found {}", seen()));
      recover();
      return std::nullopt;
    }
    ++at_;
    member.value = parse_value(depth + 1);
    return member;
  }

  void warn_of_duplicates(std::span<const Member> members) {
    if (members.size() > 64) return;  // quadratic; such an object is data, not a record
    for (std::size_t i = 1; i < members.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (members[i].key != members[j].key) continue;
        out_.warning(locate(source_, members[i].key_begin),
                     fmt::format("key \"{}\" is given twice; the last one counts", members[i].key));
        break;
      }
    }
  }

  // Moves what lies above `base` on the stack into lasting memory.
  template <class T>
  std::span<const T> keep(std::vector<T>& stack, std::size_t base) {
    const std::size_t count = stack.size() - base;
    if (count == 0) return {};
    T* kept = static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_copy_n(stack.begin() + static_cast<std::ptrdiff_t>(base), count, kept);
    stack.resize(base);
    return {kept, count};
  }

  const Source& source_;
  const std::string& text_;
  std::size_t at_;
  std::size_t end_;
  Memory& memory_;
  Diagnostics& out_;
  bool gave_up_ = false;
  std::vector<Value> items_;
  std::vector<Member> members_;
};

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (member->key == key) return &member->value;
  }
  return nullptr;
}

Value parse(const Source& source, std::size_t begin, std::size_t end, Memory& memory,
            Diagnostics& diagnostics) {
  if (source.text.size() > UINT32_MAX) {
    diagnostics.error({source.path, 0, 0, "", ""}, "the file is larger than 4 GiB");
    return {};
  }
  return Parser(source, begin, end, memory, diagnostics).document();
}

std::size_t string_offset(const Source& source, const Value& string, std::size_t index) {
  const std::string_view raw(source.text);
  std::size_t at = string.begin + 1;
  for (std::size_t decoded = 0; decoded < index && at < string.end;) {
    if (raw[at] != '\\') {
      ++at;
      ++decoded;
      continue;
    }
    const Escape escape = read_escape(raw.substr(at));
    char utf8[4];
    decoded += escape.length == 0
                   ? 1
                   : static_cast<std::size_t>(append_utf8(utf8, escape.code_point) - utf8);
    at += std::max<std::size_t>(1, escape.length);
  }
  return at;
}

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"null",   "boolean", "integer", "number",
                                        "string", "array",   "object"};
  return names[static_cast<int>(kind)];
}

}  // namespace kbench::json
