#include "problem/tensor_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kbench {

std::size_t element_count(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t length : shape) count *= static_cast<std::size_t>(length);
  return count;
}

std::size_t row_length(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(shape.back(), 1));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string place_text(std::size_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> place(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto length = static_cast<std::size_t>(shape[axis]);
    place[axis] = static_cast<std::int64_t>(index % length);
    index /= length;
  }
  return shape_text(place);
}

}  // namespace kbench
