#include "data/softmax.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/simd.hpp"

namespace kbench {
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
