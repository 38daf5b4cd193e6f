#include "base/digest.hpp"

#ifdef __x86_64__

#include <cpuid.h>
#include <fmt/format.h>
#include <immintrin.h>

#include <array>
#include <cstdint>
#include <cstring>

#define KBENCH_SHA __attribute__((target("sha,sse4.1")))

namespace kbench {
namespace {

using State = std::array<std::uint32_t, 8>;

constexpr std::size_t block = 64;  // bytes

// The fractional parts of the cube roots of the first primes.
alignas(16) constexpr std::uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

bool has_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0 &&
         __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0;
}

KBENCH_SHA __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

// The message schedule's next four words in the stead of the oldest of its last sixteen.
KBENCH_SHA void extend(__m128i& oldest, __m128i second, __m128i third, __m128i newest) {
  const __m128i seven_before = _mm_alignr_epi8(newest, third, 4);
  const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(oldest, second), seven_before);
  oldest = _mm_sha256msg2_epu32(sum, newest);
}

// `abef`, `cdgh`: the state's words, from the highest lane to the lowest.
KBENCH_SHA void do_four_rounds(__m128i& abef, __m128i& cdgh, __m128i words_and_constants) {
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words_and_constants);
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words_and_constants, 0x0E));
}

KBENCH_SHA void add_block(__m128i& abef, __m128i& cdgh, const char* data) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i abef_before = abef, cdgh_before = cdgh;
  __m128i w[4];
  for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(data + 16 * i), big_endian);
  for (int round = 0; round < 64; round += 16) {
    if (round > 0) {
      extend(w[0], w[1], w[2], w[3]);
      extend(w[1], w[2], w[3], w[0]);
      extend(w[2], w[3], w[0], w[1]);
      extend(w[3], w[0], w[1], w[2]);
    }
    for (int i = 0; i < 4; ++i)
      do_four_rounds(abef, cdgh, _mm_add_epi32(w[i], load(constants + round + 4 * i)));
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
}

KBENCH_SHA void add_blocks(State& state, std::string_view data) {
  const __m128i dcba = load(state.data()), hgfe = load(state.data() + 4);
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; data.size() >= block; data.remove_prefix(block)) add_block(abef, cdgh, data.data());
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  const __m128i lanes[2] = {_mm_blend_epi16(feba, dchg, 0xF0), _mm_alignr_epi8(dchg, feba, 8)};
  std::memcpy(state.data(), lanes, sizeof lanes);
}

}  // namespace

std::optional<std::string> sha256_by_instructions(std::string_view data) {
  static const bool has_them = has_instructions();
  if (!has_them) return std::nullopt;
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::string_view rest = data.substr(data.size() / block * block);
  add_blocks(state, data);
  // The rest of the data, a bit that is set, zeros, and the count of bits in the last eight bytes.
  std::array<char, 2 * block> end{};
  rest.copy(end.data(), rest.size());
  end[rest.size()] = '\x80';
  const std::size_t size = rest.size() + 9 <= block ? block : 2 * block;
  const std::uint64_t bits = __builtin_bswap64(8 * std::uint64_t{data.size()});
  std::memcpy(end.data() + size - sizeof bits, &bits, sizeof bits);
  add_blocks(state, {end.data(), size});
  return fmt::format("{:08x}", fmt::join(state, ""));
}

}  // namespace kbench

#else

namespace kbench {

std::optional<std::string> sha256_by_instructions(std::string_view) { return std::nullopt; }

}  // namespace kbench

#endif
