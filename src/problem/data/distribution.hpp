// Which random values a dtype gets: one row a dtype in distribution.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "problem/data/random.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// Writes elements [first, first + count) of a tensor that begins at `data`: element i from word i
// of the stream. `first` is a multiple of words_per_group.
void fill_random(DType dtype, const Stream& stream, std::byte* data, std::uint64_t first,
                 std::size_t count);

}  // namespace kbench
