#include "verdict/error_map.hpp"

#include <algorithm>
#include <cstddef>

namespace kbench {
namespace {

constexpr std::size_t most_lines = 32;
constexpr std::size_t most_columns = 64;

// As the field's text says (schema/details.hpp).
char sign_of(std::size_t missed, std::size_t of) {
  if (missed == 0) return '.';
  if (missed == of) return '#';
  return static_cast<char>('0' + 10 * missed / of);
}

}  // namespace

ErrorMap error_map(const std::string& output, const std::vector<bool>& missed,
                   const std::vector<std::int64_t>& shape) {
  ErrorMap map{output, shape, {}};
  if (missed.empty()) return map;
  const std::size_t width = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
  const std::size_t height = missed.size() / width;
  const std::size_t columns = std::min(width, most_columns), lines = std::min(height, most_lines);
  for (std::size_t line = 0; line < lines; ++line) {
    std::vector<std::size_t> found(columns), of(columns);
    for (std::size_t y = line * height / lines; y < (line + 1) * height / lines; ++y) {
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t first = column * width / columns, end = (column + 1) * width / columns;
        const auto begin = missed.begin() + static_cast<std::ptrdiff_t>(y * width);
        of[column] += end - first;
        found[column] +=
            static_cast<std::size_t>(std::count(begin + static_cast<std::ptrdiff_t>(first),
                                                begin + static_cast<std::ptrdiff_t>(end), true));
      }
    }
    std::string& text = map.rows.emplace_back();
    for (std::size_t column = 0; column < columns; ++column)
      text += sign_of(found[column], of[column]);
  }
  return map;
}

}  // namespace kbench
