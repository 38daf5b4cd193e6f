// Where in an output the wrong elements lie, as a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/details.hpp"

namespace kbench {

// Maps the misses of the output of that name and shape; `missed` has an element for each of its,
// row-major. The last axis goes from left to right, all others from top to bottom; at most 32 lines
// of 64 characters, each for as many elements as the others, but for one.
ErrorMap error_map(const std::string& output, const std::vector<bool>& missed,
                   const std::vector<std::int64_t>& shape);

}  // namespace kbench
