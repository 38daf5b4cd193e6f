// A tensor in memory that somebody else owns: what crosses module and process borders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/shared_memory.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// A contiguous, row-major tensor on the CPU. float4 is packed two in a byte along the last axis.
struct TensorView {
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;  // {} is a 0-D tensor
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};

struct NamedTensor {
  std::string name;
  TensorView tensor;
};

// The product of a shape; 1 for a 0-D tensor.
std::size_t element_count(const std::vector<std::int64_t>& shape);

// Elements of the last axis; 1 for a 0-D tensor, and at least 1.
std::size_t row_length(const std::vector<std::int64_t>& shape);

// "[2, 4096]"
std::string shape_text(const std::vector<std::int64_t>& shape);

// Returns the place of element `index` in a contiguous tensor: "[1, 17]".
std::string place_text(std::size_t index, const std::vector<std::int64_t>& shape);

// Value of a Python scalar argument (shape null).
using Scalar = std::variant<std::int64_t, double, bool>;

// The inputs of one call: tensors in one piece of shared memory, scalars by value.
struct BoundInput {
  std::string name;
  std::optional<Scalar> scalar;  // a Python scalar; then `tensor` says its dtype and nothing else
  TensorView tensor;             // points into Inputs::memory
  std::size_t offset = 0;        // place in Inputs::memory, a multiple of the page size
  // Origin of the bytes: tensors of the same origin, dtype and shape have the same ones. "" where
  // only the bytes can tell.
  std::string origin;
};

struct Inputs {
  SharedMemory memory;             // sealed: whoever gets its descriptor can only read
  std::vector<BoundInput> values;  // inputs in the Definition's order
};

// Memory that a candidate writes to: where a tensor lies among its pages, and what fills them
// before a call. The judge and kbench-worker both lay it out so.
constexpr std::size_t page_bytes = 4096;  // a page of memory, as the processor parts it

// A tensor is flush with the end of its pages up to an alignment of 64 bytes, so that a step beyond
// it meets the inaccessible page that follows.
struct Placement {
  std::size_t size = 0;  // bytes of the pages
  std::size_t data = 0;  // first byte of the tensor in them
};
Placement among_pages(std::size_t bytes, std::size_t page);

// Writes `pattern` (elements repeated to 8 bytes) where the tensor lies, `margin` around it.
void poison(std::byte* pages, const Placement& place, std::size_t bytes, std::uint64_t pattern,
            std::byte margin);

// Tells whether the bytes around the tensor still are `margin`.
bool is_margin_whole(const std::byte* pages, const Placement& place, std::size_t bytes,
                     std::byte margin);

}  // namespace kbench
