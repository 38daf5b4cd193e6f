#include "schema/place.hpp"

#include <array>
#include <charconv>
#include <exception>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

std::string unescape_step(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const bool escape = step[i] == '~' && i + 1 < step.size();
    key += escape ? (step[++i] == '1' ? '/' : '~') : step[i];
  }
  return key;
}

const json::Value* child(const json::Value& value, std::string_view step) {
  if (value.kind == json::Kind::object) return value.find(unescape_step(step));
  std::size_t index = 0;
  const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool number = parsed.ec == std::errc{} && parsed.ptr == step.data() + step.size();
  return number && index < value.items.size() ? &value.items[index] : nullptr;
}

// Bytes of line `line` of a text, all of it for line 0.
std::pair<std::size_t, std::size_t> extent(const std::string& text, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin < text.size(); ++i) {
    const std::size_t next = text.find('\n', begin);
    begin = next == std::string::npos ? text.size() : next + 1;
  }
  const std::size_t end = line == 0 ? std::string::npos : text.find('\n', begin);
  return {begin, end == std::string::npos ? text.size() : end};
}

}  // namespace

Where place_in_text(const Source& source, int line, std::string_view pointer, std::size_t index) {
  const auto [begin, end] = extent(source.text, line);
  std::array<std::byte, 16384> stack;
  json::Memory memory(stack.data(), stack.size());
  Diagnostics ignored;
  const json::Value document = json::parse(source, begin, end, memory, ignored);
  const json::Value* value = &document;
  const std::vector<std::string_view> steps = split(pointer, '/');
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const json::Value* next = child(*value, steps[i]);
    if (next == nullptr) break;
    value = next;
  }
  const bool in_string = index > 0 && value->is_string();
  const std::size_t offset = in_string ? json::string_offset(source, *value, index) : value->begin;
  return locate(source, offset, std::string(pointer));
}

Where place_in_file(const std::filesystem::path& file, int line, std::string_view pointer,
                    std::size_t index) {
  try {
    return place_in_text({file.string(), read_file(file)}, line, pointer, index);
  } catch (const std::exception&) {
    return {file.string(), line, line > 0 ? 1 : 0, std::string(pointer), ""};
  }
}

std::string pointer_step(std::string_view key) {
  std::string step;
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

}  // namespace kbench
