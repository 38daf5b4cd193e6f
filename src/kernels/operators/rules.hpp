// What the parts of a schema must be to each other, and which schemas a kernel can have.
#pragma once

#include <vector>

#include "kernels/operators/parse.hpp"
#include "kernels/operators/schema.hpp"

namespace kbench::ops {

enum class SchemaKind {
  functional,  // returns new tensors
  in_place,    // writes self: add_
  out,         // writes the arguments it is given for that
  mutates,     // writes positional arguments besides
};
SchemaKind kind_of(const Schema& schema);

// PyTorch's rules of arguments that are written and values that are returned. The messages are
// torchgen's. A warning is what is taken and hardly meant.
std::vector<Flaw> check_schema(const Schema& schema);

// Whether functions of C++ can be called by it: types that a kernel can be given, results that it
// can give. For operators that native_functions.yaml has, `is_custom` is false: these may return
// bool and numbers.
std::vector<Flaw> check_for_kernel(const Schema& schema, bool is_custom);

}  // namespace kbench::ops
