// What a Problem moves at least.
#pragma once

#include <cstdint>

#include "problem/problem.hpp"

namespace kbench {

// Bytes of all tensor inputs, read once, and all outputs, written once. Python scalars count
// nothing.
std::uint64_t tensor_bytes(const Problem& problem);
// Returns the bytes of the outputs alone.
std::uint64_t output_bytes(const Problem& problem);

// Whether no output has an element: whatever a kernel does, nothing of it is judged.
bool has_empty_outputs(const Problem& problem);

// The longest reduction that its axes allow: the product of the lengths of those that an input's
// shape has and no output's, or the last axis of a floating input, which a norm or a softmax sums
// over and keeps. At least 1. `definition` is the problem's.
double reduction_length(const Definition& definition, const Problem& problem);

// Whether each element of an output is calculated alone, as far as shapes tell: an input has all of
// the output's axes in front of its last one, which was summed over. Elements along an axis that an
// input ends with may share an error: that of the sum they are all divided by.
bool stands_alone(const Definition& definition, const TensorSpec& output);

}  // namespace kbench
