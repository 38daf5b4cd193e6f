// The variants of an operator that PyTorch derives instead of writing them down: `autogen` in
// native_functions.yaml. Source: torchgen/native_function_generation.py of PyTorch 2.15.
#pragma once

#include <optional>

#include "operators/schema.hpp"

namespace kbench::ops {

// The variant that writes its results to `out` arguments: "f(Tensor x) -> Tensor" →
// "f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)". Nothing for a schema that has such arguments,
// and for one that returns no tensor and does not write self.
std::optional<Schema> out_variant(const Schema& schema);

// The variant that writes nothing and returns what the schema writes.
Schema functional_variant(const Schema& schema);

}  // namespace kbench::ops
