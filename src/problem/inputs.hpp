// The inputs of one call: tensors in one piece of shared memory, scalars by value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/shared_memory.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

struct BoundInput {
  std::string name;
  std::optional<Scalar> scalar;  // a Python scalar; then `tensor` says its dtype and nothing else
  TensorView tensor;             // points into Inputs::memory
  std::size_t offset = 0;        // of the tensor in Inputs::memory, a multiple of the page size
  // What made the tensor: of the same origin, dtype and shape, the same bytes. "" where only the
  // bytes can tell.
  std::string origin;
};

struct Inputs {
  SharedMemory memory;             // sealed: whoever gets its descriptor can only read
  std::vector<BoundInput> values;  // in the Definition's order
};

}  // namespace kbench
