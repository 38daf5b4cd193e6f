#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <unordered_set>

#include "base/json_lexer.hpp"
#include "base/text.hpp"

namespace kbench::json {
namespace {

constexpr int max_depth = 200;  // Python's json and pydantic give up near this, too

bool starts_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

bool starts_value(char c) { return c == '"' || c == '{' || c == '[' || c == '-' || is_word(c); }

// A value that is a word; false if `word` is none.
bool read_word(std::string_view word, Value& value) {
  if (word == "true" || word == "false") {
    value.kind = Kind::boolean;
    value.truth = word == "true";
    return true;
  }
  if (word == "NaN" || word == "Infinity") {
    value.kind = Kind::number;
    value.text = word;
    return true;
  }
  return word == "null";
}

class Parser {
 public:
  Parser(const Source& source, std::size_t begin, std::size_t end, Memory& memory, Diagnostics& out)
      : source_(source),
        lex_(source, begin, end, memory, out),
        memory_(memory),
        out_(out),
        items_(&memory),
        members_(&memory) {
    items_.reserve(64);
    members_.reserve(32);
  }

  Value document() {
    lex_.skip_space();
    if (lex_.at_end()) lose(lex_.at(), "the text is empty");
    Value value = parse_value(0);
    lex_.skip_space();
    if (!lex_.at_end()) {
      lose(lex_.at(), "text after the end of the JSON value",
           "a bracket is one too many, or missing further up");
    }
    value.lost = lex_.lost();
    return value;
  }

 private:
  std::uint32_t offset() const { return static_cast<std::uint32_t>(lex_.at()); }

  Value parse_value(int depth) {
    lex_.skip_space();
    Value value;
    value.begin = offset();
    const char c = lex_.peek();
    if (depth > max_depth) {
      lose(lex_.at(), fmt::format("nested more than {} levels deep", max_depth));
    } else if (c == '{') {
      parse_object(value, depth);
    } else if (c == '[') {
      parse_array(value, depth);
    } else {
      parse_scalar(value);
    }
    value.end = offset();
    return value;
  }

  // Tells whether the next value, of this depthis neither an object nor an array.
  bool at_scalar(int depth) {
    lex_.skip_space();
    return depth <= max_depth && lex_.peek() != '{' && lex_.peek() != '[';
  }

  // Parses in the place where the value stays: a copy would wait for what was just written.
  void parse_scalar(Value& value) {
    value.begin = offset();
    const char c = lex_.peek();
    if (c == '"') {
      parse_string(value);
    } else if (starts_number(c)) {
      value.text = lex_.number(value.kind);
    } else {
      parse_word(value);
    }
    value.end = offset();
  }

  // A mistake after which nobody can tell what belongs to what.
  void lose(std::size_t at, std::string message, std::string hint = "") {
    lex_.error(at, std::move(message), std::move(hint));
    lex_.lose();
  }

  // A missing quote swallows the rest of the line; the next line goes on, unless a bracket is lost.
  void parse_string(Value& value) {
    value.text = lex_.string(value.kind);
    if (value.kind != Kind::broken) return;
    if (value.text.find_first_of("{}[]") != std::string_view::npos) lex_.lose();
  }

  void parse_word(Value& value) {
    const std::string_view word = lex_.word();
    if (!read_word(word, value)) {
      value.kind = Kind::broken;
      lex_.error(lex_.at(), fmt::format("expected a value, found {}", lex_.seen()),
                 word_hint(word, lex_.peek()));
      if (word.empty()) lex_.recover();
    }
    lex_.advance(word.size());
  }

  static std::string word_hint(std::string_view word, char c) {
    if (word == "None" || word == "True" || word == "False")
      return "JSON writes null, true and false";
    if (c == '\'' || c == '\xE2') return "strings stand in double quotes: \"";  // E2: as in “
    return c == '.' || c == '+' ? "numbers are written as 1, 0.5 or -2e3" : "";
  }

  // ---- elements of an object or array; true: another element follows ----

  bool first_element(char close) {
    lex_.advance();  // skips the opening bracket
    lex_.skip_space();
    if (lex_.accept(close)) return false;
    return !lex_.at_end() || unclosed(close);
  }

  bool next_element(char close, std::size_t previous_end) {
    lex_.skip_space();
    if (lex_.accept(close)) return false;
    if (lex_.peek() == ',') return after_comma(close);
    if (lex_.at_end()) return unclosed(close);
    return without_comma(close, previous_end);
  }

  bool after_comma(char close) {
    const std::size_t comma = lex_.at();
    lex_.advance();
    lex_.skip_space();
    while (lex_.peek() == ',') {
      lex_.error(lex_.at(), "two commas in a row");
      lex_.advance();
      lex_.skip_space();
    }
    if (lex_.peek() != close) return !lex_.at_end() || unclosed(close);
    lex_.error(comma, fmt::format("trailing comma before '{}'", close),
               "JSON has no comma after the last element; remove it");
    lex_.advance();
    return false;
  }

  bool without_comma(char close, std::size_t previous_end) {
    const char c = lex_.peek();
    if (c == '}' || c == ']') {
      lose(lex_.at(), fmt::format("expected ',' or '{}', found '{}'", close, c));
      return false;
    }
    if (!starts_value(c)) {
      lose(lex_.at(), fmt::format("expected ',' or '{}', found {}", close, lex_.seen()),
           c == ':' && close == ']' ? "a ']' is missing before this key" : "");
      return false;
    }
    if (close == ']' && lex_.at_key()) {
      lose(previous_end, fmt::format("']' is missing before {}", lex_.seen_value()));
      return false;
    }
    if (is_word(c) && lex_.at() == previous_end && source_.text[previous_end - 1] == '"') {
      lose(lex_.at(), "text right after a string", "a quote in a string is written \\\"");
      return false;
    }
    lex_.error(previous_end, "missing comma",
               fmt::format("put ',' after this value, before {}", lex_.seen_value()));
    return true;
  }

  bool unclosed(char close) {
    lose(lex_.at(), fmt::format("the text ends, '{}' is missing", close),
         "it is cut off, or a bracket is not closed further up");
    return false;
  }

  // ---- objects and arrays ----

  void parse_array(Value& value, int depth) {
    value.kind = Kind::array;
    const std::size_t base = items_.size();
    bool more = first_element(']');
    while (more) {
      if (at_scalar(depth + 1))
        parse_scalar(items_.emplace_back());
      else
        items_.push_back(parse_value(depth + 1));
      more = next_element(']', lex_.at());
    }
    value.items = keep<Value>(items_, base);
  }

  void parse_object(Value& value, int depth) {
    value.kind = Kind::object;
    const std::size_t base = members_.size();
    bool more = first_element('}');
    while (more) {
      lex_.skip_space();
      parse_member(depth);
      more = next_element('}', lex_.at());
    }
    value.members = keep<Member>(members_, base);
    if (!lex_.lost()) report_duplicates(source_, value.members, Level::warning, out_);
  }

  void parse_member(int depth) {
    const std::size_t place = members_.size();
    static constexpr Member none;  // copied: g++ would fill it with `rep stos`, which is slow
    members_.push_back(none);
    Member& member = members_.back();  // valid until an object in it has members
    member.key_begin = offset();
    parse_key(member);
    lex_.skip_space();
    if (!lex_.accept(':')) {
      std::string message = fmt::format("expected ':' after the key, found {}", lex_.seen());
      if (starts_value(lex_.peek())) {
        lex_.error(lex_.at(), std::move(message));
      } else {
        lose(lex_.at(), std::move(message));
      }
    }
    if (at_scalar(depth + 1)) return parse_scalar(member.value);
    const Value value = parse_value(depth + 1);
    members_[place].value = value;
  }

  void parse_key(Member& member) {
    if (lex_.peek() == '"') {
      Kind kind = Kind::string;
      member.key = lex_.string(kind);
      if (kind == Kind::broken) lex_.lose();
      return;
    }
    const std::string seen = lex_.seen();
    const std::size_t begin = lex_.at();
    member.key = lex_.bare_key();
    lex_.skip_space();
    const std::string message = fmt::format("expected a key in double quotes, found {}", seen);
    if (lex_.peek() == ':') {
      lex_.error(begin, message);
    } else {
      lose(begin, message);
    }
  }

  // Moves what lies above `base` on the stack into lasting memory.
  template <class T>
  std::span<const T> keep(std::pmr::vector<T>& stack, std::size_t base) {
    const std::size_t count = stack.size() - base;
    if (count == 0) return {};
    T* kept = static_cast<T*>(memory_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_copy_n(stack.begin() + static_cast<std::ptrdiff_t>(base), count, kept);
    stack.resize(base);
    return {kept, count};
  }

  const Source& source_;
  Lexer lex_;
  Memory& memory_;
  Diagnostics& out_;
  std::pmr::vector<Value> items_;
  std::pmr::vector<Member> members_;
};

// Most other keys differ in their last byte, and most of those in length: they need no call.
bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || a.back() == b.back()) && a == b;
}

// Keys with different fingerprints are different: nearly all are told apart so.
std::uint8_t fingerprint(std::string_view key) {
  if (key.empty()) return 0;
  return static_cast<std::uint8_t>(key.size() * 8 + static_cast<unsigned char>(key.front()) * 3 +
                                   static_cast<unsigned char>(key.back()));
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (auto member = members.rbegin(); member != members.rend(); ++member)
    if (is_same(member->key, key)) return &member->value;
  return nullptr;
}

void report_duplicates(const Source& source, std::span<const Member> members, Level level,
                       Diagnostics& diagnostics) {
  constexpr int most_duplicates = 20;
  const std::string_view counts = level == Level::error ? "" : last_one_counts;
  const auto report = [&](const Member& member) {
    diagnostics.add({level, locate(source, member.key_begin),
                     fmt::format("key \"{}\" is given twice{}", member.key, counts)});
  };
  if (members.size() <= 64) {  // the usual case, where this is fastest
    std::bitset<256> fingerprints;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::string_view key = members[i].key;
      const auto before = members.first(i);
      const bool again =
          fingerprints[fingerprint(key)] &&
          std::any_of(before.begin(), before.end(), [&](const Member& m) { return m.key == key; });
      if (again) report(members[i]);
      fingerprints.set(fingerprint(key));
    }
    return;
  }
  std::unordered_set<std::string_view> seen;
  int reported = 0;
  for (const Member& member : members) {
    if (seen.insert(member.key).second) continue;
    report(member);
    if (++reported == most_duplicates) return;
  }
}

bool check_is_text(const Source& source, Diagnostics& diagnostics) {
  if (is_lfs_pointer(source.text)) {
    diagnostics.error(locate(source, 0), std::string(lfs_message), std::string(lfs_hint));
    return false;
  }
  if (!is_utf16(source.text)) return true;
  // Such text cannot be shown: the place has no excerpt.
  diagnostics.error({source.path, 1, 1, "", ""}, "this file is UTF-16, kbench reads UTF-8",
                    "save it as UTF-8, or convert it with iconv -f UTF-16 -t UTF-8");
  return false;
}

Value parse(const Source& source, std::size_t begin, std::size_t end, Memory& memory,
            Diagnostics& diagnostics) {
  if (source.text.size() > UINT32_MAX) {
    diagnostics.error({source.path}, "the file is larger than 4 GiB");
    return {};
  }
  if (begin == 0 && !check_is_text(source, diagnostics)) return {};
  if (begin == 0 && source.text.starts_with(byte_order_mark)) {
    begin = byte_order_mark.size();
    diagnostics.error({source.path, 1, 1, "", ""}, "the text begins with a byte order mark (BOM)",
                      "JSON has none: save it as UTF-8 without BOM");
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
                                        "string", "array",   "object",  "nothing"};
  return names[static_cast<int>(kind)];
}

}  // namespace kbench::json
