// Rules between the parts of a schema, and of schemas that a kernel can have.
#pragma once

#include <vector>

#include "kernels/operators/parse.hpp"
#include "kernels/operators/schema.hpp"

namespace kbench::ops {

enum class SchemaKind {
  functional,  // returns new tensors
  in_place,    // writes self: add_
  out,         // writes the arguments it is given for that
  mutates,     // writes positional arguments other than self
};
SchemaKind kind_of(const Schema& schema);

// Checks PyTorch's rules of arguments that are written and values that are returned. The messages
// are torchgen's. A warning marks what is valid and hardly meant.
std::vector<Flaw> check_schema(const Schema& schema);

// Reports what no function of C++ can take or return: types of arguments and of results.
// `is_custom` is false for operators that native_functions.yaml has: these may return bool and
// numbers.
std::vector<Flaw> check_for_kernel(const Schema& schema, bool is_custom);

}  // namespace kbench::ops
