#include "schema/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstring>

namespace kbench {
namespace {

using json::Kind;

std::string_view keep(std::string_view text, json::Memory& memory) {
  char* kept = static_cast<char*>(memory.allocate(text.size() + 1, 1));
  std::memcpy(kept, text.data(), text.size());
  return {kept, text.size()};
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_sign(char c) { return c == '-' || c == '+'; }
bool is_exponent(char c) { return c == 'e' || c == 'E'; }

// Digits, with points and exponents among them; behind `sign` bytes of sign. What is not quite a
// number (1.2.3) is for the reader of the field to refuse.
bool looks_like_number(std::string_view text, std::size_t sign) {
  bool digits = false;
  for (std::size_t i = sign; i < text.size(); ++i) {
    const char c = text[i];
    digits |= is_digit(c);
    const bool exponent_sign = i > 0 && is_sign(c) && is_exponent(text[i - 1]);
    if (!is_digit(c) && c != '.' && !is_exponent(c) && !exponent_sign) return false;
  }
  return digits;
}

// What a plain (unquoted) scalar is. https://yaml.org/type/
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

// The value of a word that kind_of takes for a boolean.
bool is_true(std::string_view word) {
  return is_one_of(word, {"true", "True", "TRUE", "yes", "Yes", "on", "On"});
}

// Numbers as JSON with Python's names writes them.
std::string_view number_text(std::string_view text) {
  if (text.find_first_of("nN") == std::string_view::npos) return text;
  if (text.find_first_of("aA") != std::string_view::npos) return "NaN";
  return text[0] == '-' ? "-Infinity" : "Infinity";
}

std::uint32_t offset_of(const YAML::Node& node) {
  const int pos = node.Mark().pos;
  return pos < 0 ? 0 : static_cast<std::uint32_t>(pos);
}

template <class T>
T* allocate(std::size_t count, json::Memory& memory) {
  return static_cast<T*>(memory.allocate(count * sizeof(T), alignof(T)));
}

json::Value convert(const YAML::Node& node, json::Memory& memory);

void convert_scalar(const YAML::Node& node, json::Memory& memory, json::Value& value) {
  const bool quoted = node.Tag() == "!";
  value.text = keep(node.Scalar(), memory);
  value.kind = quoted ? Kind::string : kind_of(value.text);
  value.truth = value.kind == Kind::boolean && is_true(value.text);
  if (value.kind == Kind::number) value.text = number_text(value.text);
}

void convert_sequence(const YAML::Node& node, json::Memory& memory, json::Value& value) {
  auto* items = allocate<json::Value>(node.size(), memory);
  std::size_t count = 0;
  for (const auto& item : node) new (&items[count++]) json::Value(convert(item, memory));
  value.kind = Kind::array;
  value.items = {items, count};
}

void convert_map(const YAML::Node& node, json::Memory& memory, json::Value& value) {
  auto* members = allocate<json::Member>(node.size(), memory);
  std::size_t count = 0;
  for (const auto& pair : node) {
    const YAML::Node& key = pair.first;
    const std::string_view name =
        key.IsScalar() ? keep(key.Scalar(), memory) : std::string_view("?");
    new (&members[count++]) json::Member{name, offset_of(key), convert(pair.second, memory)};
  }
  value.kind = Kind::object;
  value.members = {members, count};
}

json::Value convert(const YAML::Node& node, json::Memory& memory) {
  json::Value value;
  value.begin = value.end = offset_of(node);
  if (node.IsScalar()) {
    convert_scalar(node, memory, value);
  } else if (node.IsSequence()) {
    convert_sequence(node, memory, value);
  } else if (node.IsMap()) {
    convert_map(node, memory, value);
  }
  return value;
}

}  // namespace

json::Value parse_yaml(const Source& source, json::Memory& memory, Diagnostics& diagnostics) {
  try {
    return convert(YAML::Load(source.text), memory);
  } catch (const YAML::Exception& error) {
    const auto offset = error.mark.pos < 0 ? 0 : static_cast<std::size_t>(error.mark.pos);
    diagnostics.error(locate(source, offset), error.msg);
    return {};
  }
}

}  // namespace kbench
