// The two problems that a Definition with gradients has beside its own, forward and backward, and
// the inputs of a backward call: what a forward call was given and left, and a cotangent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/registry/gradients.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

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

// Weights of the outputs: a gradient is that of their weighted sum.
struct Cotangent {
  std::string label;                          // "random", "one-hot output[3, 17]"
  std::vector<std::vector<std::byte>> bytes;  // one a floating output
  std::vector<NamedTensor> tensors;           // views of them, by the outputs' names
};

// Standard normal numbers, rounded to each output's dtype. `only` other than -1: those of one
// floating output, zeros for the others. Equal seeds and draws, equal bits.
Cotangent random_cotangent(const GradientProblem& problem, std::uint64_t seed, std::uint32_t draw,
                           std::ptrdiff_t only = -1);

// 1 at one element of one floating output, else zeros.
Cotangent one_hot_cotangent(const GradientProblem& problem, std::size_t output,
                            std::size_t element);

Cotangent zero_cotangent(const GradientProblem& problem);

// All numbers times 2^power: exact but for what leaves the dtype's range.
Cotangent scaled(const Cotangent& cotangent, int power);

// Two whose sum is exact in any dtype: some elements of `cotangent` alone, and it with these
// doubled.
struct Summands {
  Cotangent part, sum;  // sum = cotangent + part
};
Summands summands(const Cotangent& cotangent);

// Random ones of all outputs together; where there are several, of each alone; and two one-hot ones
// of each, at a random element and at the last.
std::vector<Cotangent> cotangents_for(const GradientProblem& problem, std::uint64_t seed);

// Inputs in one sealed memory, each tensor on a page of its own. `left`: the forward call's
// outputs, then its residuals, of the declared shapes and dtypes; they are copied, as all is.
Inputs backward_inputs(const GradientProblem& problem, const Inputs& inputs,
                       std::span<const TensorView> left, const Cotangent& cotangent);

// Returns the same inputs in memory of their own.
Inputs copied(const Inputs& inputs);

// Sets some elements of every floating tensor to zero: about one in eight, and all of the first
// index of the first axis. Kernels may divide by such an element, or branch on its sign.
Inputs with_zeros(const Inputs& inputs);

}  // namespace kbench
