// Problem: a Definition with every axis an integer, every shape resolved and every constraint that
// speaks of axes held. Made by bind() once, not changed afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/containers.hpp"
#include "schema/definition.hpp"
#include "schema/dtype.hpp"
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

// Bytes that a Problem moves at least.

// Bytes of all tensor inputs, read once, and all outputs, written once. Python scalars count
// nothing.
std::uint64_t tensor_bytes(const Problem& problem);
// Returns the bytes of the outputs alone.
std::uint64_t output_bytes(const Problem& problem);

// Tells whether no output has an element: whatever a kernel does, nothing of it is judged.
bool has_empty_outputs(const Problem& problem);

// The longest reduction that its axes allow: the product of the lengths of those that a floating
// input has and no output, or such an input's last axis, which a norm or a softmax sums over and
// keeps. It is at least 1. `definition` is the problem's.
double reduction_length(const Definition& definition, const Problem& problem);

// Tells whether each element of an output is calculated alone, as far as shapes tell: an input has
// all of the output's axes before its last one, which was summed over. Elements along an axis that
// an input ends with may share an error: that of the sum they are all divided by.
bool stands_alone(const Definition& definition, const TensorSpec& output);

}  // namespace kbench
