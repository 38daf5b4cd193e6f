// Where in a tensor the wrong elements lie, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/details.hpp"

namespace kbench {

// What the places have in common, axis by axis: "all at index 3 of axis 0", "all in the last 16 of
// axis 1", "at every 20th index of axis 0"; "" when nothing. `missed` has an element for each of
// the tensor's, row-major.
std::string misses_text(const std::vector<bool>& missed, const std::vector<std::int64_t>& shape);

// Where in an output the wrong elements lie, as a picture.

// Maps the misses of the output of that name and shape; `missed` has an element for each of its,
// row-major. The last axis goes from left to right, all others from top to bottom; at most 32 lines
// of 64 characters, each for as many elements as the others, but for one.
ErrorMap error_map(const std::string& output, const std::vector<bool>& missed,
                   const std::vector<std::int64_t>& shape);

}  // namespace kbench
