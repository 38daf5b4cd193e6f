// Where in a tensor the wrong elements lie, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kbench {

// What the places have in common, axis by axis: "all at index 3 of axis 0", "all in the last 16 of
// axis 1", "at every 20th index of axis 0"; "" when nothing. `missed` has an element for each of
// the tensor's, row-major.
std::string misses_text(const std::vector<bool>& missed, const std::vector<std::int64_t>& shape);

}  // namespace kbench
