#include "report/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/format.hpp"
#include "report/tables.hpp"
#include "report/trace_grid.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view cut_mark = "…";

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

// Text for people: what a terminal would obey is written out.
std::string shown_text(const GridCell& cell, const Grid& grid) {
  const bool is_none = std::holds_alternative<std::monostate>(cell.value) && cell.text.empty();
  return is_none ? grid.none : printable(text_of(cell));
}

// Returns the tables of records and of other commands.
std::vector<Grid> grids_in(const Document& document, const ReportOptions& options) {
  return document.traces ? trace_grids(*document.traces, options.rates) : document.grids;
}

// Puts a part below others, an empty line between.
void add_part(std::string& out, const std::string& part) {
  if (!out.empty() && !part.empty()) out += "\n";
  out += part;
}

std::string text_of(const Grid& grid, const ReportOptions& options) {
  const std::vector<std::size_t> places = places_of(grid);
  std::vector<Column> columns;
  for (const std::size_t i : places)
    columns.push_back(
        {title_of(grid.columns[i]), is_right(grid, i), gives_way(grid, i, i == places.back())});
  const auto is_name = [](const Column& one) { return one.gives_way == GivesWay::in_the_middle; };
  const auto names = std::find_if_not(columns.begin(), columns.end(), is_name) - columns.begin();
  std::vector<std::vector<Cell>> rows;
  for (const auto& row : grid.rows) {
    auto& cells = rows.emplace_back();
    for (const std::size_t i : places)
      cells.push_back({shown_text(row[i], grid), options.colour ? row[i].colour : ""});
  }
  return (grid.title.empty() ? "" : heading(printable(grid.title), options.colour) + "\n") +
         align_within(static_cast<std::size_t>(options.width),
                      std::max<std::size_t>(1, static_cast<std::size_t>(names)), std::move(columns),
                      std::move(rows));
}

std::string markdown_of(const Grid& grid) {
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
  return (grid.title.empty() ? "" : "### " + markdown_text(grid.title) + "\n\n") +
         markdown_table(titles, right, rows);
}

// A page has room for the whole of what is cut elsewhere.
std::string html_of(const Grid& grid) {
  std::string out = fmt::format("<h2>{}</h2>{}<table><tr>", xml_text(grid.title), grid.picture);
  const std::vector<std::size_t> places = places_of(grid);
  for (const std::size_t i : places) out += "<th>" + xml_text(title_of(grid.columns[i]));
  for (const auto& row : grid.rows) {
    out += "<tr>";
    for (const std::size_t i : places) {
      const bool is_cut = row[i].text.ends_with(cut_mark);
      out += "<td>" + xml_text(is_cut ? plain_text(row[i].value) : text_of(row[i]));
    }
  }
  return out + "</table>";
}

constexpr std::string_view page_style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:800px;margin:2rem auto;padding:0 1rem;"
    "color:#1a1a1a;background:#fff}table{border-collapse:collapse;"
    "font-variant-numeric:tabular-nums;width:100%}"
    "th,td{text-align:left;padding:2px 10px 2px 0;border-bottom:1px solid #ddd}"
    "td:not(:last-child){white-space:nowrap}p{white-space:pre-line}"
    "@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181c}"
    "th,td{border-color:#333}}";

constexpr std::size_t longest_text = 90;

}  // namespace

GridCell text_cell(const std::string& text) { return text.empty() ? GridCell{} : GridCell{text}; }

void add_ends(std::vector<GridCell>& row, const std::optional<Interval>& interval,
              const std::string& text) {
  row.push_back({interval ? GridValue(interval->low) : GridValue(), text});
  row.push_back({interval ? GridValue(interval->high) : GridValue()});
}

GridCell time_cell(double ms) { return ms > 0 ? GridCell{ms, human_time(ms * 1e6)} : GridCell{}; }

std::string short_text(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() <= longest_text) return line;
  std::size_t end = longest_text - 1;
  while (continues_character(line[end])) --end;  // a character stays whole
  return line.substr(0, end) + std::string(cut_mark);
}

std::string csv_line(const std::vector<GridCell>& row) {
  std::string out;
  for (const GridCell& cell : row)
    (out += &cell == row.data() ? "" : ",") += csv_field(plain_text(cell.value));
  return out + "\r\n";
}

std::string write_table(const Document& document, const ReportOptions& options) {
  std::string out = document.head;
  for (const Grid& grid : grids_in(document, options)) add_part(out, text_of(grid, options));
  add_part(out, document.notes);
  return out;
}

std::string write_markdown(const Document& document, const ReportOptions& options) {
  std::string out = document.head;
  for (const Diagnostic& problem : document.problems)
    out += fmt::format("- {}: {}\n", markdown_text(place_text(problem)),
                       markdown_text(printable(problem.message)));
  for (const Grid& grid : grids_in(document, options)) add_part(out, markdown_of(grid));
  add_part(out, document.notes);
  return out;
}

// A plain page; records have the one with charts.
std::string write_html(const Document& document, const ReportOptions& options) {
  if (document.traces) return write_chart_page(*document.traces, options);
  std::string out = fmt::format(
      "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
      "content='width=device-width'><title>kbench</title><style>{}</style><p>{}</p>",
      page_style, xml_text(document.head));
  for (const Grid& grid : document.grids) out += html_of(grid);
  return out + fmt::format("<p>{}</p></html>\n", xml_text(document.notes));
}

std::string write_csv(const Document& document, const ReportOptions& options) {
  std::string out, last;
  for (const Grid& grid : grids_in(document, options)) {
    std::vector<GridCell> keys;
    for (const GridColumn& column : grid.columns) keys.push_back({column.key});
    if (std::string line = csv_line(keys); line != last) out += last = std::move(line);
    for (const auto& row : grid.rows) out += csv_line(row);
  }
  return out;
}

std::string write_json(const Document& document, const ReportOptions&) {
  if (document.json) return document.json();
  std::string records;
  if (document.traces)
    for (const Trace& trace : *document.traces)
      records += (records.empty() ? "[\n" : ",\n") + to_json(trace, Dump::full);
  if (!records.empty()) return records + "\n]\n";
  Json all = Json::array();
  for (const Grid& grid : document.grids) {
    for (const auto& row : grid.rows) {
      Json& object = all.emplace_back(Json::object());
      for (std::size_t i = 0; i < row.size(); ++i)
        object[grid.columns[i].key] = json_of(row[i].value);
    }
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kbench
