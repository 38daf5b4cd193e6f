// The two problems that a Definition with gradients has beside its own: forward and backward.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/registry/gradients.hpp"
#include "problem/problem.hpp"

namespace kbench {

struct GradientProblem {
  std::vector<std::size_t> outputs;  // places of the floating outputs: those with a cotangent
  std::vector<std::size_t> inputs;   // places of the inputs that have a gradient
  std::vector<std::size_t> nondiff;  // places of the floating inputs that are declared to have none
  std::size_t residuals = 0;
  Problem forward;   // inputs → outputs, residuals
  Problem backward;  // residuals, inputs, outputs, cotangents → gradients
};

// A cotangent has its output's shape and dtype and is called d_<output>; a gradient has its
// input's, and is called d_<input>. An input has one where it is a floating tensor, not float4, and
// not declared nondiff. `spec` fits the Definition of `problem`.
GradientProblem gradient_problem(const Problem& problem, const GradientSpec& spec);

}  // namespace kbench
