#include "report/columns.hpp"

#include <algorithm>

namespace kbench {
namespace {

// Code points: enough for the names and units that stand in a table.
std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                 const std::vector<Cell>& cells) {
  std::string out;
  std::size_t missing = 0;  // spaces owed before the next text
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t pad = widths[i] - length(cells[i].text);
    if (i > 0) missing += 2;
    if (columns[i].right) missing += pad;
    if (!cells[i].text.empty()) {
      out.append(missing, ' ');
      missing = 0;
      out += cells[i].colour.empty() ? cells[i].text : cells[i].colour + cells[i].text + "\033[0m";
    }
    if (!columns[i].right) missing += pad;
  }
  return out + "\n";
}

}  // namespace

std::string heading(const std::string& text, bool colour) {
  return colour ? "\033[1m" + text + "\033[0m" : text;
}

std::string align(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<Cell> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = length(columns[i].title);
    for (const auto& row : rows) width = std::max(width, length(row[i].text));
    widths.push_back(width);
    titles.push_back({columns[i].title});
  }
  std::string out = line(columns, widths, titles);
  for (const auto& row : rows) out += line(columns, widths, row);
  return out;
}

}  // namespace kbench
