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

// What a plain (unquoted) scalar is. https://yaml.org/type/
Kind kind_of(const std::string& text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return Kind::null;
  if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "on", "On", "false", "False", "FALSE",
                       "no", "No", "off", "Off"})) {
    return Kind::boolean;
  }
  const std::size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
  if (is_one_of(std::string_view(text).substr(sign),
                {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"}))
    return Kind::number;
  std::size_t digits = 0;
  for (std::size_t i = sign; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      ++digits;
    } else if (!(c == '.' || c == 'e' || c == 'E' ||
                 ((c == '-' || c == '+') && (text[i - 1] == 'e' || text[i - 1] == 'E')))) {
      return Kind::string;
    }
  }
  if (digits == 0) return Kind::string;
  return text.find_first_of(".eE") == std::string::npos ? Kind::integer : Kind::number;
}

json::Value convert(const YAML::Node& node, json::Memory& memory) {
  json::Value value;
  value.begin = value.end = node.Mark().pos < 0 ? 0 : static_cast<std::uint32_t>(node.Mark().pos);
  if (node.IsScalar()) {
    value.text = keep(node.Scalar(), memory);
    value.kind = node.Tag() == "!" ? Kind::string : kind_of(node.Scalar());
    if (value.kind == Kind::boolean)
      value.truth = std::string_view("tTyYoO").find(value.text[0]) != std::string_view::npos &&
                    !is_one_of(value.text, {"off", "Off"});
    if (value.kind == Kind::number && value.text.find('n') != std::string_view::npos) {
      const bool nan = value.text.find_first_of("aA") != std::string_view::npos;
      value.text = nan ? "NaN" : value.text[0] == '-' ? "-Infinity" : "Infinity";
    }
  } else if (node.IsSequence()) {
    value.kind = Kind::array;
    auto* items = static_cast<json::Value*>(
        memory.allocate(node.size() * sizeof(json::Value), alignof(json::Value)));
    std::size_t count = 0;
    for (const auto& item : node) new (&items[count++]) json::Value(convert(item, memory));
    value.items = {items, count};
  } else if (node.IsMap()) {
    value.kind = Kind::object;
    auto* members = static_cast<json::Member*>(
        memory.allocate(node.size() * sizeof(json::Member), alignof(json::Member)));
    std::size_t count = 0;
    for (const auto& item : node) {
      const std::string_view key =
          item.first.IsScalar() ? keep(item.first.Scalar(), memory) : std::string_view("?");
      const int pos = item.first.Mark().pos;
      new (&members[count++]) json::Member{key, pos < 0 ? 0 : static_cast<std::uint32_t>(pos),
                                           convert(item.second, memory)};
    }
    value.members = {members, count};
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
