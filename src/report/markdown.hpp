// Tables of GitHub's Markdown (GFM 4.10).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// A cell's text on one line, with what Markdown or HTML would read as something else escaped.
std::string markdown_text(std::string_view text);

// Title line, rule and rows; the cells are escaped already.
std::string markdown_table(const std::vector<std::string>& titles, const std::vector<bool>& right,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace kbench
