#include "report/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Json json_of(const GridValue& value) {
  return std::visit(Overloaded{[](std::monostate) { return Json(); },
                               [](const auto& other) { return Json(other); }},
                    value);
}

// Returns the text of a value; numbers keep all digits.
std::string plain_text(const GridValue& value) {
  return std::visit(Overloaded{[](std::monostate) { return std::string(); },
                               [](const std::string& text) { return text; },
                               [](const auto& other) { return fmt::format("{}", other); }},
                    value);
}

std::string text_of(const GridCell& cell) {
  if (!cell.text.empty()) return cell.text;
  if (const auto* number = std::get_if<double>(&cell.value)) return fmt::format("{:.4g}", *number);
  return plain_text(cell.value);
}

bool is_number(const GridValue& value) {
  return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
}

// A column of numbers is aligned to the right.
bool is_right(const Grid& grid, std::size_t column) {
  return std::any_of(grid.rows.begin(), grid.rows.end(),
                     [column](const auto& row) { return is_number(row[column].value); });
}

const std::string& title_of(const GridColumn& column) {
  return column.title.empty() ? column.key : column.title;
}

bool is_shown(const Grid& grid, std::size_t column) {
  const Shown shown = grid.columns[column].shown;
  if (shown != Shown::where_any) return shown == Shown::always;
  return std::any_of(grid.rows.begin(), grid.rows.end(),
                     [column](const auto& row) { return !text_of(row[column]).empty(); });
}

// Returns the places of the columns that people see.
std::vector<std::size_t> places_of(const Grid& grid) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < grid.columns.size(); ++i)
    if (is_shown(grid, i)) places.push_back(i);
  return places;
}

GivesWay gives_way(const Grid& grid, std::size_t column, bool is_last) {
  if (grid.columns[column].gives_way) return *grid.columns[column].gives_way;
  if (is_right(grid, column)) return GivesWay::never;
  return is_last ? GivesWay::at_the_end : GivesWay::in_the_middle;
}

// To people: what a terminal would obey is written out.
std::string shown_text(const GridCell& cell, const Grid& grid) {
  const bool is_none = std::holds_alternative<std::monostate>(cell.value) && cell.text.empty();
  return is_none ? grid.none : printable(text_of(cell));
}

std::string write_text(std::span<const Grid> grids, const ReportOptions& options) {
  std::string out;
  for (const Grid& grid : grids) {
    const std::vector<std::size_t> places = places_of(grid);
    std::vector<Column> columns;
    for (const std::size_t i : places)
      columns.push_back({title_of(grid.columns[i]), is_right(grid, i), false,
                         gives_way(grid, i, i == places.back())});
    const auto is_name = [](const Column& one) { return one.gives_way == GivesWay::in_the_middle; };
    const auto names = std::find_if_not(columns.begin(), columns.end(), is_name) - columns.begin();
    std::vector<std::vector<Cell>> rows;
    for (const auto& row : grid.rows) {
      auto& cells = rows.emplace_back();
      for (const std::size_t i : places)
        cells.push_back({shown_text(row[i], grid), options.colour ? row[i].colour : ""});
    }
    if (!out.empty()) out += "\n";
    if (!grid.title.empty()) out += heading(printable(grid.title), options.colour) + "\n";
    out += align_within(static_cast<std::size_t>(options.width),
                        std::max<std::size_t>(1, static_cast<std::size_t>(names)),
                        std::move(columns), std::move(rows));
  }
  return out;
}

std::string write_json_rows(std::span<const Grid> grids, const ReportOptions& /*options*/) {
  Json all = Json::array();
  for (const Grid& grid : grids) {
    for (const auto& row : grid.rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i)
        object[grid.columns[i].key] = json_of(row[i].value);
      all.push_back(std::move(object));
    }
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string write_csv_rows(std::span<const Grid> grids, const ReportOptions& /*options*/) {
  std::string out;
  for (const Grid& grid : grids) {
    if (out.empty()) {
      for (std::size_t i = 0; i < grid.columns.size(); ++i)
        out += (i > 0 ? "," : "") + csv_field(grid.columns[i].key);
      out += "\r\n";
    }
    for (const auto& row : grid.rows) out += csv_line(row);
  }
  return out;
}

std::string write_markdown_tables(std::span<const Grid> grids, const ReportOptions& /*options*/) {
  std::string out;
  for (const Grid& grid : grids) {
    const std::vector<std::size_t> places = places_of(grid);
    std::vector<std::string> titles;
    std::vector<bool> right;
    for (const std::size_t i : places) {
      titles.push_back(markdown_text(title_of(grid.columns[i])));
      right.push_back(is_right(grid, i));
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : grid.rows) {
      auto& cells = rows.emplace_back();
      for (const std::size_t i : places) cells.push_back(markdown_text(text_of(row[i])));
    }
    if (!out.empty()) out += "\n";
    if (!grid.title.empty()) out += "### " + markdown_text(grid.title) + "\n\n";
    out += markdown_table(titles, right, rows);
  }
  return out;
}

constexpr GridFormat grid_writers[] = {{"table", &write_text},
                                       {"json", &write_json_rows},
                                       {"csv", &write_csv_rows},
                                       {"markdown", &write_markdown_tables}};

constexpr std::size_t longest_text = 90;

}  // namespace

GridCell time_cell(double ms) { return ms > 0 ? GridCell{ms, human_time(ms * 1e6)} : GridCell{}; }

std::string short_text(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() <= longest_text) return line;
  std::size_t end = longest_text - 1;
  while (continues_character(line[end])) --end;  // a character stays whole
  return line.substr(0, end) + "…";
}

std::string csv_line(const std::vector<GridCell>& row) {
  std::string out;
  for (const GridCell& cell : row)
    (out += &cell == row.data() ? "" : ",") += csv_field(plain_text(cell.value));
  return out + "\r\n";
}

std::vector<std::string> grid_format_names() {
  std::vector<std::string> names;
  for (const GridFormat& format : grid_writers) names.emplace_back(format.name);
  return names;
}

std::string write_grids(std::span<const Grid> grids, std::string_view format,
                        const ReportOptions& options) {
  const auto found = std::find_if(std::begin(grid_writers), std::end(grid_writers),
                                  [format](const GridFormat& one) { return one.name == format; });
  return found->write(grids, options);
}

}  // namespace kbench
