// How large the operands of an output are, where they come in.
#pragma once

#include <vector>

#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// Returns the sizes of the operands of the output's elements. Elements that have the same leading
// indices in inputs, as far as an input shares the output's leading axes by name (x [M, N] and y
// [M, K]: rows), share the largest root mean square of those inputs' elements there. One number for
// each of as many equal parts of the output, in order; empty where no floating input shares an
// axis.
std::vector<double> operand_sizes(const Definition& definition, const TensorSpec& output,
                                  const TensorPlan& plan, const Inputs& inputs);

}  // namespace kbench
