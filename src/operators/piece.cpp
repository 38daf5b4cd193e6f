#include "operators/piece.hpp"

#include <string>

namespace kbench::ops {
namespace {

constexpr std::string_view openers = "([{\"'";
constexpr std::string_view closers = ")]}\"'";

bool opens(char c) { return openers.find(c) != npos; }
bool is_quote(char c) { return c == '"' || c == '\''; }

// Behind the string that begins at `open`.
std::size_t skip_string(std::string_view text, std::size_t open) {
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[open]) {
      return i + 1;
    }
  }
  return npos;
}

}  // namespace

Piece Piece::trimmed() const {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == npos) return until(0);
  return until(text.find_last_not_of(' ') + 1).from(first);
}

std::size_t skip_group(std::string_view text, std::size_t open) {
  std::string wanted;  // what closes the groups that are open
  std::size_t i = open;
  while (i < text.size()) {
    const char c = text[i];
    if (is_quote(c)) {
      i = skip_string(text, i);
    } else {
      if (opens(c)) wanted += closers[openers.find(c)];
      if (!wanted.empty() && c == wanted.back()) wanted.pop_back();
      ++i;
    }
    if (wanted.empty()) return i;
  }
  return npos;
}

std::vector<Piece> split_at_commas(Piece list) {
  std::vector<Piece> parts;
  if (list.empty()) return parts;
  std::size_t begin = 0;
  bool groups = true;  // until one is not closed: the rest is split at every comma
  for (std::size_t i = 0; i < list.text.size();) {
    const char c = list.text[i];
    const std::size_t behind = groups && opens(c) ? skip_group(list.text, i) : i + 1;
    groups = groups && behind != npos;
    if (c == ',') {
      parts.push_back(list.until(i).from(begin));
      begin = i + 1;
    }
    i = behind == npos ? i + 1 : behind;
  }
  parts.push_back(list.from(begin));
  return parts;
}

}  // namespace kbench::ops
