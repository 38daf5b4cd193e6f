#include "judge/derive/slice.hpp"

#include <cstring>

namespace kbench {
namespace {

// A slice is `rows` pieces of `bytes` bytes, `stride` bytes apart in the whole tensor.
struct Pieces {
  std::size_t rows = 1;
  std::size_t bytes = 0;
  std::size_t stride = 0;
  std::size_t begin = 0;
};

std::size_t inner_elements(const std::vector<std::int64_t>& shape, int dimension) {
  std::size_t count = 1;
  for (std::size_t i = static_cast<std::size_t>(dimension); i < shape.size(); ++i)
    count *= static_cast<std::size_t>(shape[i]);
  return count;
}

Pieces pieces_of(DType dtype, const std::vector<std::int64_t>& shape, const Slice& slice) {
  Pieces pieces;
  for (int i = 0; i < slice.dimension; ++i)
    pieces.rows *= static_cast<std::size_t>(shape[static_cast<std::size_t>(i)]);
  pieces.stride = storage_bytes(dtype, inner_elements(shape, slice.dimension));
  pieces.bytes = pieces.stride / static_cast<std::size_t>(slice.parts);
  pieces.begin = pieces.bytes * static_cast<std::size_t>(slice.part);
  return pieces;
}

}  // namespace

bool has_whole_bytes(DType dtype, const std::vector<std::int64_t>& shape, const Slice& slice) {
  const std::size_t elements =
      inner_elements(shape, slice.dimension) / static_cast<std::size_t>(slice.parts);
  return elements * static_cast<std::size_t>(info(dtype).bits) % 8 == 0;
}

void copy_slice(const TensorView& whole, const Slice& slice, std::byte* to) {
  const Pieces pieces = pieces_of(whole.dtype, whole.shape, slice);
  for (std::size_t row = 0; pieces.bytes > 0 && row < pieces.rows; ++row)
    std::memcpy(to + row * pieces.bytes, whole.data + row * pieces.stride + pieces.begin,
                pieces.bytes);
}

void place_slice(const TensorView& part, const Slice& slice, const std::vector<std::int64_t>& shape,
                 std::byte* whole) {
  const Pieces pieces = pieces_of(part.dtype, shape, slice);
  for (std::size_t row = 0; pieces.bytes > 0 && row < pieces.rows; ++row)
    std::memcpy(whole + row * pieces.stride + pieces.begin, part.data + row * pieces.bytes,
                pieces.bytes);
}

}  // namespace kbench
