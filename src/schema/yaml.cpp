#include "schema/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"
#include "syntax/unicode.hpp"

namespace kbench {
namespace {

using json::Kind;

std::string_view keep(std::string_view text, json::Memory& memory) {
  char* kept = static_cast<char*>(memory.allocate(text.size() + 1, 1));
  std::memcpy(kept, text.data(), text.size());
  return {kept, text.size()};
}

bool is_sign(char c) { return c == '-' || c == '+'; }
bool is_exponent(char c) { return c == 'e' || c == 'E'; }

// Recognises digits, with points and exponents among them, behind `sign` bytes of sign. A text that
// is not quite a number (1.2.3) is for the reader of the field to refuse.
bool looks_like_number(std::string_view text, std::size_t sign) {
  bool digits = false;
  for (std::size_t i = sign; i < text.size(); ++i) {
    const char c = text[i];
    digits |= python::is_digit(c);
    const bool exponent_sign = i > 0 && is_sign(c) && is_exponent(text[i - 1]);
    if (!python::is_digit(c) && c != '.' && !is_exponent(c) && !exponent_sign) return false;
  }
  return digits;
}

// Returns the kind of a plain (unquoted) scalar. https://yaml.org/type/
Kind kind_of(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return Kind::null;
  if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "on", "On", "false", "False", "FALSE",
                       "no", "No", "off", "Off"})) {
    return Kind::boolean;
  }
  const std::size_t sign = is_sign(text[0]) ? 1 : 0;
  if (is_one_of(text.substr(sign), {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"}))
    return Kind::number;
  if (!looks_like_number(text, sign)) return Kind::string;
  return text.find_first_of(".eE") == std::string_view::npos ? Kind::integer : Kind::number;
}

// Returns the value of a word that kind_of takes for a boolean.
bool is_true(std::string_view word) {
  return is_one_of(word, {"true", "True", "TRUE", "yes", "Yes", "on", "On"});
}

// Numbers as JSON with Python's names writes them.
std::string_view number_with_python_names(std::string_view text) {
  if (text.find_first_of("nN") == std::string_view::npos) return text;
  if (text.find_first_of("aA") != std::string_view::npos) return "NaN";
  return text[0] == '-' ? "-Infinity" : "Infinity";
}

template <class T>
std::span<const T> keep_all(const std::vector<T>& all, json::Memory& memory) {
  if (all.empty()) return {};
  T* kept = static_cast<T*>(memory.allocate(all.size() * sizeof(T), alignof(T)));
  std::uninitialized_copy(all.begin(), all.end(), kept);
  return {kept, all.size()};
}

json::Value scalar(std::string_view text, bool is_plain) {
  json::Value value;
  value.kind = is_plain ? kind_of(text) : Kind::string;
  value.truth = value.kind == Kind::boolean && is_true(text);
  value.text = value.kind == Kind::number ? number_with_python_names(text) : text;
  return value;
}

// Value, and its size when its aliases are written out: readers go all the way.
struct Built {
  json::Value value;
  std::size_t count = 1;  // number of values
  int height = 0;
};

constexpr std::size_t most_values = 100'000;
constexpr int most_levels = 200;  // limit, as in JSON
constexpr std::size_t most_bytes = std::size_t{16} << 20;

[[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) {
  throw YAML::ParserException(mark, message);
}

// Returns the begin of a list's entry whose null is reported at `offset`, the next thing's place.
std::size_t entry_begin(std::string_view text, std::size_t offset) {
  std::size_t end = offset;
  while (end > 0) {
    const std::size_t line = text.rfind('\n', end - 1) + 1;  // 0 in the first
    std::string_view words = text.substr(line, end - line);
    words = trim(words.substr(0, words.find('#')));
    if (words.ends_with('-')) return static_cast<std::size_t>(&words.back() - text.data());
    if (line == 0 || !words.empty()) break;
    end = line - 1;
  }
  return offset;
}

// Makes values of what yaml-cpp reports as it reads.
class Builder : public YAML::EventHandler {
 public:
  Builder(const Source& source, std::size_t begin, json::Memory& memory, Level repeated,
          Diagnostics& out)
      : source_(source), begin_(begin), memory_(memory), repeated_(repeated), out_(out) {}

  json::Value root() const { return root_.value; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) fail(mark, "a second document; a file holds one");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YAML::Mark place = mark;
    if (!open_.empty() && open_.back().kind == Kind::array)
      place.pos = static_cast<int>(entry_begin(source_.text, offset_of(mark)) - begin_);
    add(place, anchor, {}, "null");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool is_plain = tag != "!" && tag != "tag:yaml.org,2002:str";
    const std::string_view kept = keep(text, memory_);
    if (is_plain && kept == "<<" && wants_key()) open_.back().merges = true;
    add(mark, anchor, {scalar(kept, is_plain)}, kept);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "the alias stands inside the value it stands for");
    add(mark, 0, found->second, found->second.value.text);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(Kind::array, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(Kind::object, mark, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  // Sequence or map that is being read.
  struct Open {
    Kind kind = Kind::array;
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    std::vector<json::Value> items;
    std::vector<json::Member> members;
    bool has_key = false;  // the last member's value is still to come
    bool merges = false;   // the key << is there
    std::size_t count = 1;
    int height = 0;
  };

  std::uint32_t offset_of(const YAML::Mark& mark) const {
    return static_cast<std::uint32_t>(begin_ + static_cast<std::size_t>(std::max(0, mark.pos)));
  }

  bool wants_key() const {
    return !open_.empty() && open_.back().kind == Kind::object && !open_.back().has_key;
  }

  void start(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (wants_key()) fail(mark, "a key must be a word, not a sequence or map");
    open_.push_back({kind, mark, anchor, {}, {}, false, false, 1, 0});
  }

  // Adds a value; `name` is a scalar's text when it stands for a key.
  void add(const YAML::Mark& mark, YAML::anchor_t anchor, Built built, std::string_view name) {
    built.value.begin = built.value.end = offset_of(mark);
    if (wants_key()) {
      if (built.value.kind == Kind::array || built.value.kind == Kind::object)
        fail(mark, "a key must be a word, not a sequence or map");
      open_.back().members.push_back({name, built.value.begin, {}});
      open_.back().has_key = true;
    } else {
      add_value(mark, built);
    }
    if (anchor != 0) anchors_[anchor] = built;
  }

  void add_value(const YAML::Mark& mark, const Built& built) {
    if (open_.empty()) {
      root_ = built;
      return;
    }
    Open& to = open_.back();
    to.count += built.count;
    to.height = std::max(to.height, built.height + 1);
    const char* const spread = anchors_.empty() ? "" : "with its aliases written out, ";
    if (to.count > most_values)
      fail(mark, fmt::format("{}this has more than {} values", spread, most_values));
    if (to.height + static_cast<int>(open_.size()) > most_levels)
      fail(mark, fmt::format("nested more than {} levels deep", most_levels));
    if (to.kind == Kind::array) {
      to.items.push_back(built.value);
    } else {
      to.members.back().value = built.value;
      if (built.value.kind == Kind::null)  // it has no place of its own
        to.members.back().value.begin = to.members.back().key_begin;
      to.has_key = false;
    }
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    Built built{{}, done.count, done.height};
    built.value.kind = done.kind;
    built.value.items = keep_all(done.items, memory_);
    if (done.kind == Kind::object) {
      json::report_duplicates(source_, done.members, repeated_, out_);
      if (done.merges) merge(done);
      built.value.members = keep_all(done.members, memory_);
    }
    add(done.mark, done.anchor, built, "");
  }

  // Puts members of the maps that << names first, so that the map's own count.
  // https://yaml.org/type/merge.html
  static void merge(Open& map) {
    std::vector<json::Member> merged;
    std::vector<json::Member> own;
    const auto take = [&](const json::Value& from) {
      if (from.kind != Kind::object) fail(map.mark, "<< merges maps, and here is none");
      merged.insert(merged.begin(), from.members.begin(), from.members.end());
    };
    for (const json::Member& member : map.members) {
      if (member.key != "<<") {
        own.push_back(member);
      } else if (member.value.kind == Kind::array) {
        for (const json::Value& from : member.value.items) take(from);
      } else {
        take(member.value);
      }
    }
    merged.insert(merged.end(), own.begin(), own.end());
    map.members = std::move(merged);
  }

  const Source& source_;
  std::size_t begin_;
  json::Memory& memory_;
  Level repeated_;
  Diagnostics& out_;
  Built root_;
  int documents_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Built> anchors_;
};

struct Advice {
  std::string_view said;
  std::string_view hint;
};

// Advice for messages of yaml-cpp.
constexpr Advice advices[] = {
    {"end of sequence flow", "a ']' is missing"},
    {"end of map flow", "a '}' is missing"},
    {"end of map not", "the keys of a map begin in the same column"},
    {"end of sequence not", "the '-' of a sequence, or the keys of a map, begin in one column"},
    {"illegal map value", "indented too far, or a value that holds \": \" and needs quotes"},
    {"unknown escape", "in double quotes a backslash is written \\\\"},
    {"alias", "write out what is needed, without aliases"},
    {"this has more than", "no file that kbench reads needs so many"},
    {"nested more", "a configuration needs four levels"},
    {"anchor is not defined", "an alias *name needs an anchor &name before it"},
};

std::string hint_for(std::string_view message) {
  for (const Advice& advice : advices)
    if (message.find(advice.said) != std::string_view::npos) return std::string(advice.hint);
  return "YAML is \"key: value\" lines, indented with spaces";
}

void report(const Source& source, std::size_t begin, const YAML::Exception& error,
            Diagnostics& diagnostics) {
  // Lines beyond the last word cannot be shown.
  const std::size_t last = source.text.find_last_not_of(" \t\r\n") + 1;
  const std::size_t offset = begin + static_cast<std::size_t>(std::max(0, error.mark.pos));
  const bool too_deep = error.msg == YAML::ErrorMsg::BAD_FILE;  // yaml-cpp's words for 500 levels
  const std::string message =
      too_deep ? fmt::format("nested more than {} levels deep", most_levels) : error.msg;
  Where where = locate(source, std::min(offset, last));
  const bool tab = where.excerpt.substr(0, where.excerpt.find_first_not_of(" \t")).find('\t') !=
                   std::string::npos;
  diagnostics.error(std::move(where), message,
                    tab ? "indent with spaces, not tabs" : hint_for(message));
}

bool holds_words(const json::Value& list) {
  return std::none_of(list.items.begin(), list.items.end(), [](const json::Value& item) {
    return item.kind == Kind::array || item.kind == Kind::object;
  });
}

void emit_word(YAML::Emitter& to, std::string_view word) {
  if (word.empty() || kind_of(word) != Kind::string) to << YAML::DoubleQuoted;
  to << std::string(word);
}

void emit(YAML::Emitter& to, const json::Value& value) {
  if (value.kind == Kind::array) {
    if (holds_words(value)) to << YAML::Flow;
    to << YAML::BeginSeq;
    for (const json::Value& item : value.items) emit(to, item);
    to << YAML::EndSeq;
  } else if (value.kind == Kind::object) {
    to << YAML::BeginMap;
    for (const json::Member& member : value.members) {
      to << YAML::Key;
      emit_word(to, member.key);
      to << YAML::Value;
      emit(to, member.value);
    }
    to << YAML::EndMap;
  } else if (value.kind == Kind::string) {
    emit_word(to, value.text);
  } else if (value.kind == Kind::null) {
    to << YAML::Null;
  } else if (value.kind == Kind::boolean) {
    to << value.truth;
  } else {
    to << std::string(value.text);
  }
}

}  // namespace

std::string write_yaml(const json::Value& value) {
  YAML::Emitter to;
  to.SetNullFormat(YAML::LowerNull);
  emit(to, value);
  return std::string(to.c_str()) + "\n";
}

std::string yaml_word(std::string_view word) {
  YAML::Emitter to;
  emit_word(to, word);
  return to.c_str();
}

json::Value parse_yaml(const Source& source, json::Memory& memory, Diagnostics& diagnostics,
                       Level repeated_keys) {
  const std::size_t begin = source.text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  if (!json::check_is_text(source, diagnostics)) return {};
  if (const std::size_t bad = find_invalid_utf8(source.text); bad != std::string::npos) {
    diagnostics.error(locate(source, bad), "invalid UTF-8");
    return {};
  }
  if (const std::size_t nul = source.text.find('\0'); nul != std::string::npos) {
    diagnostics.error(locate(source, nul), "a NUL byte, which no YAML has");
    return {};
  }
  if (source.text.size() > most_bytes) {
    diagnostics.error(locate(source, 0), "more than 16 MiB of YAML");
    return {};
  }
  Builder builder(source, begin, memory, repeated_keys, diagnostics);
  try {
    std::istringstream text(source.text.substr(begin));
    YAML::Parser parser(text);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.root();
  } catch (const YAML::Exception& error) {
    report(source, begin, error, diagnostics);
    return {};
  }
}

}  // namespace kbench
