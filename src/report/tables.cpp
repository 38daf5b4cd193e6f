#include "report/tables.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/text.hpp"

namespace kbench {
namespace {

// Code points: enough for the names and units that stand in a table.
std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::size_t width_of(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows,
                     std::size_t i) {
  std::size_t widest = length(columns[i].title);
  for (const auto& row : rows) widest = std::max(widest, length(row[i].text));
  return widest;
}

struct Layout {
  Column column;
  std::size_t width = 0;
};

std::string coloured(const Cell& cell) {
  return cell.colour.empty() ? cell.text : cell.colour + cell.text + "\033[0m";
}

std::string line(const std::vector<Layout>& layouts, const std::vector<Cell>& cells) {
  std::string out;
  std::size_t missing = 0;  // spaces owed before the next text
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& [column, width] = layouts[i];
    const std::size_t pad = width - length(cells[i].text);
    if (i > 0) missing += 2;
    if (column.right) missing += pad;
    if (!cells[i].text.empty()) {
      out.append(missing, ' ');
      missing = 0;
      out += coloured(cells[i]);
    }
    if (!column.right) missing += pad;
  }
  return out + "\n";
}

}  // namespace

std::string heading(const std::string& text, bool colour) {
  return colour ? "\033[1m" + printable(text) + "\033[0m" : printable(text);
}

std::string align(const std::vector<Column>& columns, std::vector<std::vector<Cell>> rows) {
  for (auto& row : rows)
    for (Cell& cell : row) cell.text = printable_in_columns(cell.text);
  std::vector<Layout> layouts;
  std::vector<Cell> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    layouts.push_back({columns[i], width_of(columns, rows, i)});
    titles.push_back({columns[i].title});
  }
  std::string out = line(layouts, titles);
  for (const auto& row : rows) out += line(layouts, row);
  return out;
}

namespace {

constexpr std::size_t least_text = 24, least_name = 16;  // widths that they give way to

// The first `count` characters, and the last ones.
std::string first_of(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (!continues_character(text[end]) && count-- == 0) break;
  return text.substr(0, end);
}

std::string last_of(const std::string& text, std::size_t count) {
  const std::size_t all = length(text);
  return all <= count ? text : text.substr(first_of(text, all - count).size());
}

void shorten(std::string& text, std::size_t most, GivesWay how) {
  if (length(text) <= most) return;
  const std::size_t last = how == GivesWay::in_the_middle ? (most - 1) / 2 : 0;
  text = first_of(text, most - 1 - last) + "…" + last_of(text, last);
}

// Characters by which the table is wider than `width`.
std::size_t excess(std::size_t width, const std::vector<Column>& columns,
                   const std::vector<std::vector<Cell>>& rows) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < columns.size(); ++i)
    all += width_of(columns, rows, i) + (i > 0 ? 2 : 0);
  return all > width ? all - width : 0;
}

// The columns that give way so, the widest first, until the table fits.
void narrow(std::size_t width, GivesWay how, std::size_t least, const std::vector<Column>& columns,
            std::vector<std::vector<Cell>>& rows) {
  for (std::size_t times = 0; times < columns.size(); ++times) {
    const std::size_t more = excess(width, columns, rows);
    std::size_t widest = 0;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].gives_way == how &&
          (columns[widest].gives_way != how ||
           width_of(columns, rows, i) > width_of(columns, rows, widest)))
        widest = i;
    const std::size_t own = columns.empty() ? 0 : width_of(columns, rows, widest);
    if (more == 0 || columns[widest].gives_way != how || own <= least) return;
    const std::size_t most = std::max(least, own > more ? own - more : 0);
    for (auto& row : rows) shorten(row[widest].text, most, how);
  }
}

// Leaves out the last of the columns that may be, one after the other.
void leave_out(std::size_t width, std::vector<Column>& columns,
               std::vector<std::vector<Cell>>& rows) {
  for (std::size_t i = columns.size(); i-- > 0;) {
    if (excess(width, columns, rows) == 0) return;
    if (columns[i].gives_way != GivesWay::wholly) continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::string blocks(std::size_t names, const std::vector<Column>& columns,
                   const std::vector<std::vector<Cell>>& rows) {
  std::string out;
  std::size_t widest = 0;
  for (std::size_t i = names; i < columns.size(); ++i)
    widest = std::max(widest, length(columns[i].title));
  for (const auto& row : rows) {
    std::string head;
    for (std::size_t i = 0; i < std::min(names, row.size()); ++i)
      if (!row[i].text.empty()) head += (head.empty() ? "" : "  ") + coloured(row[i]);
    out += head + "\n";
    for (std::size_t i = names; i < row.size(); ++i) {
      if (row[i].text.empty()) continue;
      const std::string pad(widest - length(columns[i].title) + 2, ' ');
      out += "  " + columns[i].title + pad + coloured(row[i]) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string align_within(std::size_t width, std::size_t names, std::vector<Column> columns,
                         std::vector<std::vector<Cell>> rows) {
  if (width == 0 || excess(width, columns, rows) == 0) return align(columns, rows);
  const std::vector<Column> all = columns;
  const std::vector<std::vector<Cell>> whole = rows;
  narrow(width, GivesWay::at_the_end, least_text, columns, rows);
  leave_out(width, columns, rows);
  narrow(width, GivesWay::in_the_middle, least_name, columns, rows);
  return excess(width, columns, rows) == 0 ? align(columns, rows) : blocks(names, all, whole);
}

namespace {

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// A spreadsheet runs what begins so. Source: OWASP, CSV injection.
bool is_formula(std::string_view text) {
  return text.size() > 1 && std::string_view("=+-@").find(text.front()) != text.npos &&
         !is_number(text);
}

}  // namespace

std::string csv_field(std::string_view given) {
  std::string text = printable_lines(given);
  if (is_formula(text)) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

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
    if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) out += '\\';
    out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    if (c == '@') out += "<!-- -->";  // GitHub notifies nobody of that name then
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

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace kbench
