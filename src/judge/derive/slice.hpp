// Parts of a contiguous tensor along one dimension, copied out and in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/tensor_view.hpp"

namespace kbench {

// Part `part` of `parts` equal ones along a dimension.
struct Slice {
  int dimension = 0;
  std::int64_t part = 0;
  std::int64_t parts = 1;
};

// Whether parts begin and end at bytes: two elements of float4 share one.
bool has_whole_bytes(DType dtype, const std::vector<std::int64_t>& shape, const Slice& slice);

// From `whole` to `to`, which has room for the part.
void copy_slice(const TensorView& whole, const Slice& slice, std::byte* to);
// From `part` to its place in a tensor of `shape` at `whole`.
void place_slice(const TensorView& part, const Slice& slice, const std::vector<std::int64_t>& shape,
                 std::byte* whole);

}  // namespace kbench
