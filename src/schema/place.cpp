#include "schema/place.hpp"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "schema/to_json.hpp"

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

PointedAt take_step(const json::Value& value, std::string_view step) {
  if (value.kind == json::Kind::object) {
    const json::Value* found = value.find(unescape_step(step));
    for (const json::Member& member : value.members)
      if (&member.value == found) return {found, member.key_begin};
    return {};
  }
  std::size_t index = 0;
  const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool number = parsed.ec == std::errc{} && parsed.ptr == step.data() + step.size();
  if (!number || index >= value.items.size()) return {};
  return {&value.items[index], value.items[index].begin};
}

// Returns begin and end, bytes, of line `line` of a text; of the whole text for line 0.
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

struct Place::File {
  File(std::filesystem::path where, const Source* text) : path(std::move(where)), source(text) {}

  std::filesystem::path path;
  const Source* source;
  std::optional<Source> own = {};  // the text that was read
  bool unreadable = false;
  // Number of the line parsed last: many places of one record follow each other.
  int line = -1;
  std::optional<json::Memory> memory = {};
  json::Value document = {};

  const json::Value& parsed(int wanted) {
    if (line == wanted) return document;
    line = wanted;
    document = {};
    const auto [begin, end] = extent(source->text, line);
    Diagnostics ignored;
    document = json::parse(*source, begin, end, memory.emplace(), ignored);
    return document;
  }
};

Place::Place(std::filesystem::path file, int line)
    : file_(std::make_shared<File>(std::move(file), nullptr)), line_(line) {}

Place::Place(const Source& source, int line)
    : file_(std::make_shared<File>(source.path, &source)), line_(line) {}

Place Place::at_line(int line) const {
  Place other = *this;
  other.line_ = line;
  return other;
}

const Source* Place::source() const {
  if (file_->source == nullptr && !file_->unreadable) {
    try {
      file_->source = &file_->own.emplace(Source{file_->path.string(), read_file(file_->path)});
    } catch (const std::exception&) {
      file_->unreadable = true;
    }
  }
  return file_->source;
}

Where Place::unknown(std::string_view pointer) const {
  return {file_->path.string(), line_, line_ > 0 ? 1 : 0, std::string(pointer), ""};
}

Where Place::value(std::string_view pointer, std::size_t index) const {
  const Source* const text = source();
  if (text == nullptr) return unknown(pointer);
  const json::Value& found = *follow(file_->parsed(line_), pointer).value;
  const bool in_string = index > 0 && found.is_string();
  const std::size_t offset = in_string ? json::string_offset(*text, found, index) : found.begin;
  return locate(*text, offset, std::string(pointer));
}

Where Place::key(std::string_view pointer) const {
  const Source* const text = source();
  if (text == nullptr) return unknown(pointer);
  return locate(*text, follow(file_->parsed(line_), pointer).key_begin, std::string(pointer));
}

PointedAt follow(const json::Value& document, std::string_view pointer) {
  PointedAt at{&document, document.begin};
  const std::vector<std::string_view> steps = split(pointer, '/');
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const PointedAt next = take_step(*at.value, steps[i]);
    if (next.value == nullptr) break;
    at = next;
  }
  return at;
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
  return at(string, std::move(pointer));  // text folded over lines, or with escapes
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
