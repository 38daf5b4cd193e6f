#include "base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr std::size_t excerpt_width = 120;
constexpr std::size_t excerpt_kept = 2048;  // bytes of a line: a file may be one line of 100 MB
constexpr std::size_t longest_message = 2000;

struct Style {
  std::string_view bold, colour, reset;
};

Style style_of(Level level, bool colour) {
  if (!colour) return {"", "", ""};
  constexpr std::string_view colours[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
  return {"\033[1m", colours[static_cast<int>(level)], "\033[0m"};
}

// A line as it is shown, and the column, in characters, that byte `at` of it has there. A long one
// is cut to what is around the place: a reference is one long line of JSON, of which nobody wants
// to read all.
std::pair<std::string, std::size_t> excerpt_of(std::string_view line, std::size_t at) {
  at = std::min(at, line.size());
  std::size_t begin = 0;
  std::size_t end = line.size();
  if (line.size() > excerpt_width) {
    begin = std::min(at - std::min(at, excerpt_width / 2), line.size() - excerpt_width);
    end = begin + excerpt_width;
    while (begin > 0 && continues_character(line[begin])) --begin;
    while (end < line.size() && continues_character(line[end])) ++end;
  }
  const std::string before =
      (begin > 0 ? "…" : "") + printable_in_columns(line.substr(begin, at - begin));
  const std::string after =
      printable_in_columns(line.substr(at, end - at)) + (end < line.size() ? "…" : "");
  const auto column =
      std::count_if(before.begin(), before.end(), [](char c) { return !continues_character(c); });
  return {before + after, static_cast<std::size_t>(column)};
}

// A message quotes names, which may be of any length.
void shorten(std::string& text) {
  if (text.size() <= longest_message) return;
  std::size_t end = longest_message;
  while (end > 0 && continues_character(text[end])) --end;
  text.resize(end);
  text += "…";
}

}  // namespace

struct Source::Lines {
  const char* text;  // differs in a copy
  std::size_t bytes;
  std::vector<std::size_t> begins = {0};
};

namespace {

// Threads may ask at the same time: each makes them, and one of these stays.
std::shared_ptr<const Source::Lines> lines_of(const Source& source) {
  const std::string& text = source.text;
  auto lines = std::atomic_load(&source.lines);
  if (lines == nullptr || lines->text != text.data() || lines->bytes != text.size()) {
    auto made = std::make_shared<Source::Lines>(Source::Lines{text.data(), text.size()});
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos;) made->begins.push_back(++at);
    lines = made;
    std::atomic_store(&source.lines, lines);
  }
  return lines;
}

}  // namespace

std::string_view level_name(Level level) {
  constexpr std::string_view names[] = {"info", "warning", "error"};
  return names[static_cast<int>(level)];
}

Diagnostic& Diagnostics::add(Diagnostic diagnostic) {
  shorten(diagnostic.message);
  shorten(diagnostic.hint);
  if (diagnostic.level == Level::error) ++errors_;
  return items_.emplace_back(std::move(diagnostic));
}

void Diagnostics::error(Where where, std::string message, std::string hint) {
  add({Level::error, std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::warning(Where where, std::string message, std::string hint) {
  add({Level::warning, std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::info(Where where, std::string message, std::string hint) {
  add({Level::info, std::move(where), std::move(message), std::move(hint)});
}

void Diagnostics::overrule(Diagnostic diagnostic) {
  const Where& at = diagnostic.where;
  std::erase_if(items_, [&](const Diagnostic& one) {
    return at.line > 0 && one.level < diagnostic.level && one.where.file == at.file &&
           one.where.line == at.line && one.where.column == at.column;
  });
  add(std::move(diagnostic));
}

void Diagnostics::append(Diagnostics other) {
  errors_ += other.errors_;
  items_.insert(items_.end(), std::make_move_iterator(other.items_.begin()),
                std::make_move_iterator(other.items_.end()));
}

Where locate(const Source& source, std::size_t offset, std::string pointer) {
  const std::string& text = source.text;
  offset = std::min(offset, text.size());
  const auto lines = lines_of(source);
  const std::vector<std::size_t>& begins = lines->begins;
  const auto next = std::upper_bound(begins.begin(), begins.end(), offset);
  const auto line = next - begins.begin();
  const std::size_t start = *std::prev(next);
  std::size_t end = next == begins.end() ? text.size() : *next - 1;
  if (end > start && text[end - 1] == '\r') --end;
  const std::size_t first = std::max(start, offset - std::min(offset, excerpt_kept / 2));
  return {source.path,
          static_cast<int>(line),
          static_cast<int>(offset - start) + 1,
          std::move(pointer),
          text.substr(first, std::min(end - std::min(first, end), excerpt_kept)),
          static_cast<int>(first - start)};
}

std::string render(const Diagnostic& diagnostic, bool colour) {
  const Style style = style_of(diagnostic.level, colour);
  const Where& where = diagnostic.where;
  std::string place;
  if (!where.file.empty()) place = printable(where.file) + ":";
  if (where.line > 0) place += fmt::format("{}:{}:", where.line, where.column);
  if (!place.empty()) place += " ";
  std::string out =
      fmt::format("{}{}{}{}{}:{} {}\n", style.bold, place, style.reset, style.colour,
                  level_name(diagnostic.level), style.reset, printable(diagnostic.message));
  if (where.line > 0 && !where.excerpt.empty()) {
    const auto [excerpt, at] =
        excerpt_of(where.excerpt, static_cast<std::size_t>(where.column - 1 - where.excerpt_begin));
    const std::string number = std::to_string(where.line);
    out += fmt::format(" {} | {}\n {:>{}} | {:>{}}{}^{}\n", number, excerpt, "", number.size(), "",
                       at, style.colour, style.reset);
  }
  if (!diagnostic.hint.empty()) out += fmt::format("  hint: {}\n", printable(diagnostic.hint));
  return out;
}

}  // namespace kbench
