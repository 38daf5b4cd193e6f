#include "problem/data/normal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/simd.hpp"

namespace kbench {
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
  constexpr double shift =
      0x1.8p52;  // the sum's last place is 1: the addition rounds to an integer
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
