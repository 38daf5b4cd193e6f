#include "schema/place.hpp"

#include <array>
#include <charconv>
#include <exception>
#include <optional>
#include <utility>

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

PointedAt take_step(const json::Value& value, std::string_view step) {
  if (value.kind == json::Kind::object) {
    const json::Value* found = value.find(unescape_step(step));
    for (const json::Member& member : value.members) {
      if (&member.value == found) return {found, member.key_begin};
    }
    return {};
  }
  std::size_t index = 0;
  const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool number = parsed.ec == std::errc{} && parsed.ptr == step.data() + step.size();
  if (!number || index >= value.items.size()) return {};
  return {&value.items[index], value.items[index].begin};
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

Where find_place(const Source& source, int line, std::string_view pointer, std::size_t index,
                 bool of_key) {
  const auto [begin, end] = extent(source.text, line);
  std::array<std::byte, 16384> stack;
  json::Memory memory(stack.data(), stack.size());
  Diagnostics ignored;
  const json::Value document = json::parse(source, begin, end, memory, ignored);
  const PointedAt at = follow(document, pointer);
  if (of_key) return locate(source, at.key_begin, std::string(pointer));
  const bool in_string = index > 0 && at.value->is_string();
  const std::size_t offset =
      in_string ? json::string_offset(source, *at.value, index) : at.value->begin;
  return locate(source, offset, std::string(pointer));
}

}  // namespace

struct Place::File {
  std::filesystem::path path;
  const Source* source = nullptr;
  std::optional<Source> own;  // what was read
  bool unreadable = false;
};

Place::Place(std::filesystem::path file, int line)
    : file_(std::make_shared<File>(File{std::move(file), nullptr, std::nullopt, false})),
      line_(line) {}

Place::Place(const Source& source, int line)
    : file_(std::make_shared<File>(File{source.path, &source, std::nullopt, false})), line_(line) {}

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
  const Source* text = source();
  return text == nullptr ? unknown(pointer) : find_place(*text, line_, pointer, index, false);
}

Where Place::key(std::string_view pointer) const {
  const Source* text = source();
  return text == nullptr ? unknown(pointer) : find_place(*text, line_, pointer, 0, true);
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

}  // namespace kbench
