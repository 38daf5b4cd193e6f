// Random words from a counter, and standard normal variates that are the same bits on every
// machine: only + - * / and square roots of binary32, which IEEE 754 rounds in one way, and no
// library function.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kbench {

// Word i of a stream is a function of the seed and i alone, so that any part of a tensor can be
// made on any thread. Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011.
using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// Ten rounds on one counter.
PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

// Key of a sequence of words: every tensor of every trial has its own.
struct Stream {
  std::uint64_t seed = 0;    // the key
  std::uint32_t tensor = 0;  // counter word 2
  std::uint32_t trial = 0;   // counter word 3
};

// Words come in groups of 64, made of 16 counters side by side since that is how vector units work:
// word 16 w + b of group g is word w of the block of counter 16 g + b (counter words 0 and 1).
constexpr std::size_t words_per_group = 64;

// Words [first, first + out.size()) of the stream; `first` is a multiple of words_per_group.
void random_words(const Stream& stream, std::uint64_t first, std::span<std::uint32_t> out);

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
