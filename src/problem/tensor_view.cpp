#include "problem/tensor_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

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

namespace {

constexpr std::size_t alignment = 64;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Placement among_pages(std::size_t bytes, std::size_t page) {
  const std::size_t size = std::max(page, round_up(bytes, page));
  return {size, size - round_up(bytes, alignment)};
}

void poison(std::byte* pages, const Placement& place, std::size_t bytes, std::uint64_t pattern,
            std::byte margin) {
  std::byte* const data = pages + place.data;
  std::fill(pages, data, margin);
  std::size_t i = 0;
  for (; i + 8 <= bytes; i += 8) std::memcpy(data + i, &pattern, 8);
  std::memcpy(data + i, &pattern, bytes - i);
  std::fill(data + bytes, pages + place.size, margin);
}

bool is_margin_whole(const std::byte* pages, const Placement& place, std::size_t bytes,
                     std::byte margin) {
  const auto whole = [margin](std::byte b) { return b == margin; };
  return std::all_of(pages, pages + place.data, whole) &&
         std::all_of(pages + place.data + bytes, pages + place.size, whole);
}

}  // namespace kbench
