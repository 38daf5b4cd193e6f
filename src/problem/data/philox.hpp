// Random words from a counter: word i of a stream is a function of the seed and i alone, so that
// any part of a tensor can be made on any thread. Philox4x32-10: Salmon, Moraes, Dror, Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace kbench {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

// Ten rounds on one counter.
PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key);

// Which words: every tensor of every trial has its own.
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

}  // namespace kbench
