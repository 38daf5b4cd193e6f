// A table of values → text, JSON, CSV or Markdown: for commands whose result is one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/format.hpp"
#include "report/tables.hpp"

namespace kbench {

using GridValue = std::variant<std::monostate, std::string, std::int64_t, double, bool>;

struct GridCell {
  GridValue value;
  std::string text = {};    // for people; "": the value as it is, "-" for none
  std::string colour = {};  // an ANSI sequence, where there is colour
};

// Shows milliseconds in the unit that they are read in; of no time nothing.
GridCell time_cell(double ms);

// What a cell shows people of a text that may be long: its first line, as far as that is short.
std::string short_text(const std::string& text);

// Whether people see a column; programs see all of them.
enum class Shown { always, where_any, never };  // where_any: where one of its cells has a text

struct GridColumn {
  std::string key;         // in JSON and CSV
  std::string title = {};  // "": the key
  Shown shown = Shown::always;
  // How it gives way on a terminal that is too narrow; by default texts become shorter.
  std::optional<GivesWay> gives_way = std::nullopt;
};

struct Grid {
  std::string title = {};  // above the columns, in bold; "" for none
  std::vector<GridColumn> columns;
  std::vector<std::vector<GridCell>> rows;
  std::string none = "-";  // what people see where there is no value
};

// Several grids, one below the other. JSON and CSV have the rows of all, each with all its values.
struct GridFormat {
  std::string_view name;
  std::string (*write)(std::span<const Grid> grids, const ReportOptions& options);
};

std::string csv_line(const std::vector<GridCell>& row);

// "table", "json", "csv" (RFC 4180) and "markdown".
std::vector<std::string> grid_format_names();
std::string write_grids(std::span<const Grid> grids, std::string_view format,
                        const ReportOptions& options);

}  // namespace kbench
