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

struct Layout {
  Column column;
  std::size_t width = 0;
  bool is_shown = true;
};

std::string line(const std::vector<Layout>& layouts, const std::vector<Cell>& cells) {
  std::string out;
  std::size_t missing = 0;  // spaces owed before the next text
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& [column, width, is_shown] = layouts[i];
    if (!is_shown) continue;
    const std::size_t pad = width - length(cells[i].text);
    if (i > 0) missing += 2;
    if (column.right) missing += pad;
    if (!cells[i].text.empty()) {
      out.append(missing, ' ');
      missing = 0;
      out += cells[i].colour.empty() ? cells[i].text : cells[i].colour + cells[i].text + "\033[0m";
    }
    if (!column.right) missing += pad;
  }
  return out + "\n";
}

}  // namespace

std::string heading(const std::string& text, bool colour) {
  return colour ? "\033[1m" + text + "\033[0m" : text;
}

std::string align(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows) {
  std::vector<Layout> layouts;
  std::vector<Cell> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, length(row[i].text));
    layouts.push_back({columns[i], std::max(widest, length(columns[i].title)),
                       widest > 0 || !columns[i].optional});
    titles.push_back({columns[i].title});
  }
  std::string out = line(layouts, titles);
  for (const auto& row : rows) out += line(layouts, row);
  return out;
}

}  // namespace kbench
