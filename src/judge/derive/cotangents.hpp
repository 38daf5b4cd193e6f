// What gradients are asked for: weights of the outputs, of which the gradient is that of their sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "judge/derive/gradient_problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

struct Cotangent {
  std::string label;                          // "random", "one-hot output[3, 17]"
  std::vector<std::vector<std::byte>> bytes;  // of each floating output
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

}  // namespace kbench
