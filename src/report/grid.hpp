// Tables of values, as commands fill them and formats write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "measure/statistics.hpp"
#include "report/tables.hpp"

namespace kbench {

using GridValue = std::variant<std::monostate, std::string, std::int64_t, double, bool>;

struct GridCell {
  GridValue value;
  std::string text = {};    // people see this; "": the value as it is, "-" for none
  std::string colour = {};  // an ANSI sequence, where there is colour
};

// Shows a text; "" is no value.
GridCell text_cell(const std::string& text);

// Shows milliseconds in the unit that they are read in; no time shows nothing.
GridCell time_cell(double ms);

// Adds both ends of an interval to a row; people see the text, in the place of the lower one.
void add_ends(std::vector<GridCell>& row, const std::optional<Interval>& interval,
              const std::string& text = "");

// Short form of a text for a cell that people see: its first line, as far as that is short.
std::string short_text(const std::string& text);

// Columns that people see; programs see all of them.
enum class Shown { always, where_any, never };  // where_any: if a cell has a text

struct GridColumn {
  std::string key;         // name in JSON and CSV
  std::string title = {};  // "": the key
  Shown shown = Shown::always;
  // Way to fit a terminal that is too narrow; texts become shorter by default.
  std::optional<GivesWay> gives_way = std::nullopt;
};

struct Grid {
  std::string title = {};  // heading, in bold; "" for none
  std::vector<GridColumn> columns;
  std::vector<std::vector<GridCell>> rows;
  std::string none = "-";    // shown to people where there is no value
  std::string picture = {};  // SVG: a page has it above the table
};

// A row of CSV, with its end of line.
std::string csv_line(const std::vector<GridCell>& row);

}  // namespace kbench
