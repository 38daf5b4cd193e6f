// Text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace kbench {

struct Cell {
  std::string text;
  std::string colour = "";  // an ANSI sequence put around it, "" for none
};

struct Column {
  std::string title;
  bool right = false;     // aligned to the right
  bool optional = false;  // left out where all its cells are empty
};

// The text above columns, in bold where there is colour.
std::string heading(const std::string& text, bool colour);

// Title line and rows, two spaces between columns, no trailing spaces. Widths count characters, not
// bytes.
std::string align(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows);

}  // namespace kbench
