#include "kernels/registry/yaml_place.hpp"

#include <fmt/format.h>

#include "schema/to_json.hpp"

namespace kbench {
namespace {

constexpr std::size_t longest_text = 40;

}  // namespace

Where YamlPlace::inside(const json::Value& string, std::size_t index, std::string pointer) const {
  const std::string_view text = source.text;
  for (const std::size_t quote : {0, 1}) {
    const std::size_t begin = string.begin + quote;
    const bool is_plain = begin <= text.size() && text.substr(begin).starts_with(string.text);
    if (is_plain) return locate(source, begin + index, std::move(pointer));
  }
  return at(string, std::move(pointer));  // folded over lines, or with escapes
}

void YamlPlace::wrong(const json::Value& value, const std::string& pointer, std::string_view wanted,
                      std::string hint) const {
  out.error(at(value, pointer), fmt::format("must be {}, not {}", wanted, python_text(value)),
            std::move(hint));
}

std::string short_place(const Where& where) {
  return where.line == 0 ? where.file : fmt::format("{}:{}", where.file, where.line);
}

std::string python_text(const json::Value& value) {
  if (value.is_string()) return fmt::format("'{}'", value.text);
  if (value.kind == json::Kind::null) return "None";
  if (value.kind == json::Kind::boolean) return value.truth ? "True" : "False";
  std::string text = compact_json(value);
  if (text.size() <= longest_text) return text;
  return value.is_object() ? "a map" : "a list";
}

}  // namespace kbench
