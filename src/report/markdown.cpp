#include "report/markdown.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace kbench {
namespace {

std::string line(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

}  // namespace

std::string markdown_text(std::string_view given) {
  std::string lines(given);
  std::replace_if(
      lines.begin(), lines.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::string out;
  for (const char c : printable(lines)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
  return out;
}

std::string markdown_table(const std::vector<std::string>& titles, const std::vector<bool>& right,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string out = line(titles) + "|";
  for (const bool is_right : right) out += is_right ? " ---: |" : " --- |";
  out += "\n";
  for (const auto& row : rows) out += line(row);
  return out;
}

}  // namespace kbench
