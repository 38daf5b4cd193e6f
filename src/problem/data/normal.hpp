// Standard normal variates that are the same bits on every machine: only + - * / and square roots
// of binary32, which IEEE 754 rounds in one way, and no library function.
#pragma once

#include <cstdint>
#include <span>

#include "problem/data/philox.hpp"

namespace kbench {

// The standard normal quantile of (word + 1/2) / 2^32, to about 5e-7 of its value.
// Method: M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution",
// Applied Statistics 37 (1988), routine PPND7. |result| <= 6.4; never 0, infinite or NaN.
// Sizes are equal.
void normal_quantiles(std::span<const std::uint32_t> words, std::span<float> out);

// Normals [first, first + out.size()) of the stream; `first` is a multiple of words_per_group.
void standard_normals(const Stream& stream, std::uint64_t first, std::span<float> out);

// Softmax that is the same bits on every machine, as the normal variates are: its exponential uses
// only + - * / of binary64.

// e^x for x <= 0, to 2 units in the last place; 0 below -700.
double exponential(double x);

// Replaces a row by its softmax; sums from the first element to the last.
void softmax(std::span<double> row);

}  // namespace kbench
