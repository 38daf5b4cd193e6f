#include "problem/data/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

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

namespace {

// log(x) of a normal x > 0: x = m 2^e with m in [sqrt(1/2), sqrt(2)), and with s = (m-1)/(m+1)
// log m = 2 (s + s^3/3 + s^5/5 + …), of which the terms up to s^9 reach binary32's precision.
inline float logarithm(float x) {
  constexpr std::int32_t root_half = 0x3f3504f3;  // bits of sqrt(1/2)
  const std::int32_t bits = std::bit_cast<std::int32_t>(x) - root_half;
  const std::int32_t exponent = bits >> 23;
  const float m = std::bit_cast<float>((bits & 0x007fffff) + root_half);
  const float s = (m - 1.0F) / (m + 1.0F);
  const float z = s * s;
  const float tail = ((2.0F / 9 * z + 2.0F / 7) * z + 2.0F / 5) * z + 2.0F / 3;
  // ln 2 in two parts, the first with so few bits that its product with the exponent is exact.
  constexpr float ln2_high = 0x1.63p-1F, ln2_low = -0x1.bd0106p-13F;
  const auto e = static_cast<float>(exponent);
  return e * ln2_high + (s * 2.0F + (s * z * tail + e * ln2_low));
}

// Two of the three rational approximations of AS 241 (PPND7): of q = 1/2 - p near the median, and
// of r = sqrt(-log(p)) in the tail. The third is for r > 5, and our least p, 2^-33, has r = 4.78.
inline float centre(float q) {
  const float r = 0.180625F - q * q;
  const float above = ((59.10937472F * r + 159.29113202F) * r + 50.434271938F) * r + 3.3871327179F;
  const float below = ((67.18756360F * r + 78.757757664F) * r + 17.895169469F) * r + 1.0F;
  return q * above / below;
}

inline float tail(float r) {
  r -= 1.6F;
  const float above =
      ((0.17023821103F * r + 1.3067284816F) * r + 2.7568153900F) * r + 1.4234372777F;
  const float below = (0.12021132975F * r + 0.73700164250F) * r + 1.0F;
  return above / below;
}

// One word: its highest bit is the sign, the others the distance m from the end of the range. The
// probability m/2^32 of the tail and its distance from one half are both taken from the integer, so
// that both keep all their digits.
inline float quantile_of(std::uint32_t word) {
  const auto m = static_cast<std::int32_t>(word & 0x7fffffffU);
  const float p = (static_cast<float>(m) + 0.5F) * 0x1p-32F;
  const float q = (static_cast<float>(0x7fffffff - m) + 0.5F) * 0x1p-32F;
  const float middle = centre(q);
  const float outer = tail(std::sqrt(-logarithm(p)));
  const float magnitude = q <= 0.425F ? middle : outer;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (word & 0x80000000U));
}

KBENCH_SIMD
void quantiles(const std::uint32_t* words, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = quantile_of(words[i]);
}

}  // namespace

void normal_quantiles(std::span<const std::uint32_t> words, std::span<float> out) {
  quantiles(words.data(), out.data(), words.size());
}

void standard_normals(const Stream& stream, std::uint64_t first, std::span<float> out) {
  std::array<std::uint32_t, 16 * words_per_group> words;
  for (std::size_t done = 0; done < out.size(); done += words.size()) {
    const std::size_t count = std::min(words.size(), out.size() - done);
    random_words(stream, first + done, std::span(words).first(count));
    normal_quantiles(std::span(words).first(count), out.subspan(done, count));
  }
}

namespace {

constexpr int terms = 14;

constexpr std::array<double, terms> inverse_factorials() {
  std::array<double, terms> values{1};
  double factorial = 1;  // 13! < 2^53: exact
  for (int k = 1; k < terms; ++k) values[k] = 1 / (factorial *= k);
  return values;
}

// x = n ln 2 + r with |r| <= ln 2 / 2; e^x = 2^n (1 + r + r^2/2! + … + r^13/13!), the rest < 5e-18.
inline double exponential_of(double x) {
  constexpr double shift = 0x1.8p52;  // its last place is 1: the addition rounds to an integer
  constexpr double log2_e = 0x1.71547652b82fep0;
  constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
  constexpr auto factors = inverse_factorials();
  const double bounded = x < -700 ? -700 : x;
  const double shifted = bounded * log2_e + shift;
  const double n = shifted - shift;
  const double r = (bounded - n * ln2_high) - n * ln2_low;
  double sum = factors[terms - 1];
#pragma GCC unroll 14
  for (int k = terms - 2; k >= 0; --k) sum = sum * r + factors[k];
  const std::uint64_t power =
      (std::bit_cast<std::uint64_t>(shifted) << 52) + (std::uint64_t{1023} << 52);
  const double result = sum * std::bit_cast<double>(power);
  return x < -700 ? 0 : result;
}

KBENCH_SIMD
void exponentials(double* row, std::size_t count, double largest) {
  for (std::size_t i = 0; i < count; ++i) row[i] = exponential_of(row[i] - largest);
}

}  // namespace

double exponential(double x) { return exponential_of(x); }

void softmax(std::span<double> row) {
  if (row.empty()) return;
  exponentials(row.data(), row.size(), *std::max_element(row.begin(), row.end()));
  double sum = 0;
  for (const double value : row) sum += value;
  for (double& value : row) value /= sum;
}

}  // namespace kbench
