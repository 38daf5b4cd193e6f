// Text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace kbench {

struct Cell {
  std::string text;
  std::string colour = "";  // an ANSI sequence put around it, "" for none
};

// How a column gives way where a table is wider than the terminal.
enum class GivesWay {
  never,
  at_the_end,     // its texts lose their ends
  in_the_middle,  // names lose their middles, since beginning and end tell them apart
  wholly,         // it is left out
};

struct Column {
  std::string title;
  bool right = false;     // aligned to the right
  bool optional = false;  // left out where all its cells are empty
  GivesWay gives_way = GivesWay::never;
};

// The text above columns, in bold where there is colour.
std::string heading(const std::string& text, bool colour);

// Title line and rows, two spaces between columns, no trailing spaces. Widths count characters, not
// bytes.
std::string align(const std::vector<Column>& columns, std::vector<std::vector<Cell>> rows);

// Aligns within `width` characters (0: any): texts that give way at their ends do so first, then
// names, then columns are left out. What does not fit even so has a block of lines for each row,
// which begins with the cells of the first `names` columns.
std::string align_within(std::size_t width, std::size_t names, std::vector<Column> columns,
                         std::vector<std::vector<Cell>> rows);

}  // namespace kbench
