// Tables as text: aligned columns, CSV, Markdown and XML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Text in aligned columns.
struct Cell {
  std::string text;
  std::string colour = "";  // an ANSI sequence put around it, "" for none
};

// Ways for a column to give way where a table is wider than the terminal.
enum class GivesWay {
  never,
  at_the_end,     // texts lose their ends
  in_the_middle,  // names lose their middles, since beginning and end tell them apart
  wholly,         // columns are left out
};

struct Column {
  std::string title;
  bool right = false;  // aligned to the right
  GivesWay gives_way = GivesWay::never;
};

// The text above columns, in bold where there is colour.
std::string heading(const std::string& text, bool colour);

// Title line and rows, two spaces between columns, no trailing spaces. Widths count characters, not
// bytes.
std::string align(const std::vector<Column>& columns, std::vector<std::vector<Cell>> rows);

// Aligns within `width` characters (0: any): texts that give way at their ends do so first, then
// names, then columns are left out. A table that does not fit even so has a block of lines for each
// row, which begins with the cells of the first `names` columns.
std::string align_within(std::size_t width, std::size_t names, std::vector<Column> columns,
                         std::vector<std::vector<Cell>> rows);

// Fields of CSV, RFC 4180.

// A field of CSV, in quotes where it holds a comma, a quote or an end of line. Characters that no
// terminal should obey are written out, and a text that a spreadsheet would take for a formula
// (=1+1, -x) has an apostrophe before it.
std::string csv_field(std::string_view text);

// Tables of GitHub's Markdown (GFM 4.10).

// A cell's text on one line, with what Markdown or HTML would read as something else escaped.
std::string markdown_text(std::string_view text);

// Title line, rule and rows; the cells are escaped already.
std::string markdown_table(const std::vector<std::string>& titles, const std::vector<bool>& right,
                           const std::vector<std::vector<std::string>>& rows);

// Text as content of XML 1.0 and HTML: markup is escaped, and control characters, most of which XML
// cannot hold (XML 1.0, section 2.2), are written as "\x1b". Line breaks stay.
std::string xml_text(std::string_view text);

}  // namespace kbench
