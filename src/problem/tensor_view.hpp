// A tensor in memory that somebody else owns: what crosses module and process borders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "schema/dtype.hpp"

namespace kbench {

// Contiguous, row-major, on the CPU. float4 is packed two in a byte along the last axis.
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

// Where element `index` of a contiguous tensor stands: "[1, 17]".
std::string place_text(std::size_t index, const std::vector<std::int64_t>& shape);

// What a Python scalar argument (shape null) is bound to.
using Scalar = std::variant<std::int64_t, double, bool>;

}  // namespace kbench
