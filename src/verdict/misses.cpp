#include "verdict/misses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text.hpp"

namespace kbench {
namespace {

// The indices of one axis at which something was missed.
std::vector<std::int64_t> indices(const std::vector<bool>& missed, std::size_t length,
                                  std::size_t inner) {
  std::vector<bool> seen(length);
  for (std::size_t i = 0; i < missed.size(); ++i) {
    if (missed[i]) seen[i / inner % length] = true;
  }
  std::vector<std::int64_t> out;
  for (std::size_t k = 0; k < length; ++k) {
    if (seen[k]) out.push_back(static_cast<std::int64_t>(k));
  }
  return out;
}

// The distance between neighbours where it is the same everywhere, else 0.
std::int64_t step_of(const std::vector<std::int64_t>& at) {
  const std::int64_t step = at[1] - at[0];
  for (std::size_t k = 2; k < at.size(); ++k) {
    if (at[k] - at[k - 1] != step) return 0;
  }
  return step;
}

std::string axis_text(const std::vector<std::int64_t>& at, std::int64_t length, std::size_t axis) {
  const auto count = static_cast<std::int64_t>(at.size());
  if (count == 0 || count == length) return "";
  if (count == 1) return fmt::format("all at index {} of axis {}", at[0], axis);
  const std::int64_t step = step_of(at);
  if (step > 1 && count > 2) {
    return fmt::format("at every {}th index of axis {}, from {} on", step, axis, at[0]);
  }
  if (at.back() - at.front() >= length / 2) return "";
  if (at.back() == length - 1)
    return fmt::format("all in the last {} of axis {}", length - at.front(), axis);
  if (at.front() == 0) return fmt::format("all in the first {} of axis {}", at.back() + 1, axis);
  return fmt::format("all at {} to {} of axis {}", at.front(), at.back(), axis);
}

}  // namespace

std::string misses_text(const std::vector<bool>& missed, const std::vector<std::int64_t>& shape) {
  std::vector<std::string> parts;
  std::size_t inner = missed.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto length = static_cast<std::size_t>(shape[axis]);
    if (length == 0) return "";
    inner /= length;
    std::string text = axis_text(indices(missed, length, inner), shape[axis], axis);
    if (!text.empty()) parts.push_back(std::move(text));
  }
  return join(parts, ", ");
}

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
