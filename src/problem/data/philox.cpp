#include "problem/data/philox.hpp"

#include <algorithm>

#include "base/simd.hpp"

namespace kbench {
namespace {

constexpr std::uint32_t multiplier_0 = 0xD2511F53U, multiplier_1 = 0xCD9E8D57U;
constexpr std::uint32_t weyl_0 = 0x9E3779B9U, weyl_1 = 0xBB67AE85U;
constexpr int philox_rounds = 10;
constexpr std::size_t lanes = words_per_group / 4;

struct State {
  std::uint32_t c0, c1, c2, c3;
};

// High and low half of the products are written apart: as one 64-bit product they become AVX-512's
// slow 64-bit multiplication.
constexpr State step(State s, std::uint32_t k0, std::uint32_t k1) {
  const auto h0 = static_cast<std::uint32_t>(std::uint64_t{multiplier_0} * s.c0 >> 32);
  const auto h1 = static_cast<std::uint32_t>(std::uint64_t{multiplier_1} * s.c2 >> 32);
  return {h1 ^ s.c1 ^ k0, multiplier_1 * s.c2, h0 ^ s.c3 ^ k1, multiplier_0 * s.c0};
}

KBENCH_SIMD
void groups(const Stream& stream, std::uint64_t group, std::size_t count, std::uint32_t* out) {
  const auto low = static_cast<std::uint32_t>(stream.seed);
  const auto high = static_cast<std::uint32_t>(stream.seed >> 32);
  for (std::size_t g = 0; g < count; ++g, out += words_per_group) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t counter = (group + g) * lanes + lane;
      State s{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
              stream.tensor, stream.trial};
      std::uint32_t k0 = low, k1 = high;
#pragma GCC unroll 10
      for (int round = 0; round < philox_rounds; ++round, k0 += weyl_0, k1 += weyl_1)
        s = step(s, k0, k1);
      out[lane] = s.c0;
      out[lanes + lane] = s.c1;
      out[2 * lanes + lane] = s.c2;
      out[3 * lanes + lane] = s.c3;
    }
  }
}

}  // namespace

PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  State s{counter[0], counter[1], counter[2], counter[3]};
  for (int round = 0; round < philox_rounds; ++round) {
    s = step(s, key[0], key[1]);
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return {s.c0, s.c1, s.c2, s.c3};
}

void random_words(const Stream& stream, std::uint64_t first, std::span<std::uint32_t> out) {
  const std::uint64_t group = first / words_per_group;
  const std::size_t whole = out.size() / words_per_group;
  groups(stream, group, whole, out.data());
  const std::size_t rest = out.size() - whole * words_per_group;
  if (rest == 0) return;
  std::array<std::uint32_t, words_per_group> last;
  groups(stream, group + whole, 1, last.data());
  std::copy_n(last.begin(), rest, out.end() - static_cast<std::ptrdiff_t>(rest));
}

}  // namespace kbench
