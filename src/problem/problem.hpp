// Problem: a Definition with every axis an integer, every shape resolved and every constraint that
// speaks of axes held. Made by bind() once, not changed afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/definition.hpp"
#include "schema/dtype.hpp"
#include "schema/ordered_map.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct TensorPlan {
  std::string name;
  DType dtype = DType::float32;
  bool is_scalar = false;           // shape null: a Python scalar, `shape` is empty
  std::vector<std::int64_t> shape;  // {} and !is_scalar: a 0-D tensor
};

struct InputPlan {
  TensorPlan tensor;
  InputSpec source;
};

struct Problem {
  std::string definition;
  std::string op_type;
  std::string workload;           // uuid
  OrderedMap<std::int64_t> axes;  // every axis, const ones included, in the Definition's order
  std::vector<InputPlan> inputs;
  std::vector<TensorPlan> outputs;
  // Constraints that speak of tensor values: to be checked when the inputs are known.
  std::vector<std::string> open_constraints;
};

}  // namespace kbench
