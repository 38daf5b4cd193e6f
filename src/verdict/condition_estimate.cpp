#include "verdict/condition_estimate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/simd.hpp"

namespace kbench {
namespace {

constexpr std::size_t least_pool = 64;  // elements: fewer say little about what they have in common
constexpr std::size_t most_pools = 4096;
constexpr std::size_t most_sampled = 2048;  // elements of a pool that are looked at
constexpr double most_freedom = 1e6;        // t is as good as the normal there

// Takes twice the logarithms of normal numbers, to 1e-13: vector code, as the library's are not.
KBENCH_SIMD
void take_logarithms(double* values, std::size_t count) {
  constexpr std::uint64_t root = 0x3FE6A09E667F3BCD;  // √½: significands are from it to √2
  for (std::size_t k = 0; k < count; ++k) {
    const auto bits = std::bit_cast<std::uint64_t>(values[k]) - root;
    const auto exponent = static_cast<std::int64_t>(bits) >> 52;
    const double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFF) + root), s = (m - 1) / (m + 1),
                 q = s * s;
    const double series =
        1 + q * (1.0 / 3 +
                 q * (1.0 / 5 +
                      q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13 + q / 15))))));
    values[k] = 2 * (static_cast<double>(static_cast<std::int32_t>(exponent)) * std::numbers::ln2 +
                     2 * s * series);
  }
}

}  // namespace

double digamma(double x) {
  double sum = 0;
  for (; x < 8; ++x) sum -= 1 / x;
  const double y = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

double trigamma(double x) {
  double sum = 0;
  for (; x < 8; ++x) sum += 1 / (x * x);
  const double y = 1 / (x * x);
  const double tail = 1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * 5 / 66)));
  return sum + 1 / x + y / 2 + y / x * tail;
}

// Newton's method on 1/ψ', which is nearly a straight line, from Smyth's start.
double inverse_trigamma(double y) {
  if (y > 1e7) return 1 / std::sqrt(y);
  if (y < 1e-6) return 1 / y;
  double x = 0.5 + 1 / y;
  for (int i = 0; i < 50; ++i) {
    const double value = trigamma(x);
    const double step = 1e-4 * x;
    const double slope = (trigamma(x + step) - trigamma(x - step)) / (2 * step);
    const double change = value * (1 - value / y) / slope;
    x += change;
    if (std::fabs(change) < 1e-9 * x) break;
  }
  return x;
}

// (6² + 1)/4 is the first term of the expansion in 1/ν; the others are fitted.
double student_widening(double freedom) {
  const double x = 1 / freedom;
  return std::exp(x * (9.25 + 57.0 * x) / (1 + 2.4 * x));
}

ModeratedCondition::ModeratedCondition(std::span<const double> condition, int runs, std::size_t row)
    : condition_(condition) {
  if (condition.empty() || runs <= 0) return;
  row = std::max<std::size_t>(row, 1);
  const std::size_t least = std::max(least_pool, (condition.size() + most_pools - 1) / most_pools);
  block_ = (least + row - 1) / row * row;
  for (std::size_t first = 0; first < condition.size(); first += block_)
    pools_.push_back(
        pool_of(condition.subspan(first, std::min(block_, condition.size() - first)), runs));
}

// Logarithms of variances with K degrees of freedom vary by ψ'(K/2); what they vary beyond that is
// the elements' own difference.
ModeratedCondition::Pool ModeratedCondition::pool_of(std::span<const double> condition, int runs) {
  const double own = runs, expected = std::log(own / 2) - digamma(own / 2);
  std::vector<double> logs;
  const std::size_t step = std::max<std::size_t>(condition.size() / most_sampled, 1);
  logs.reserve(condition.size() / step + 1);
  for (std::size_t i = 0; i < condition.size(); i += step)
    if (std::isnormal(condition[i]) && condition[i] > 0) logs.push_back(condition[i]);
  take_logarithms(logs.data(), logs.size());
  double sum = 0, squares = 0;
  for (const double log : logs) {
    const double e = log + expected;
    sum += e;
    squares += e * e;
  }
  const auto count = static_cast<double>(logs.size());
  Pool pool;
  double prior = 0;  // degrees of freedom
  if (count >= least_pool / 2.0) {
    const double mean = sum / count;
    const double spread = (squares - mean * sum) / (count - 1) - trigamma(own / 2);
    prior = spread > 0 ? std::min(2 * inverse_trigamma(spread), most_freedom) : most_freedom;
    const double variance = std::exp(mean + digamma(prior / 2) - std::log(prior / 2));
    pool.prior = prior * variance / (prior + own);
  }
  pool.weight = own / (prior + own);
  const double freedom = prior + own;
  pool.widening = student_widening(freedom);
  pool.typical = std::sqrt(freedom / std::max(freedom - 2, 1.0));  // 1/χ² has this mean
  return pool;
}

ModeratedCondition::ModeratedCondition(std::span<const double> known)
    : condition_(known), block_(std::max<std::size_t>(known.size(), 1)) {
  if (!known.empty()) pools_.push_back({});
}

namespace {

KBENCH_SIMD
void add_moderated(std::span<const double> condition, const std::array<double, 4> by,
                   double* __restrict typical, double* __restrict wide) {
  const double* const m = condition.data();
  for (std::size_t k = 0; k < condition.size(); ++k) {
    const double moderated = m[k] == 0 ? 0 : by[0] + by[1] * m[k] * m[k];
    typical[k] += by[2] * moderated;
    wide[k] += by[3] * moderated;
  }
}

}  // namespace

void ModeratedCondition::add_squares(std::size_t first, std::span<double> typical,
                                     std::span<double> wide) const {
  if (pools_.empty()) return;
  for (std::size_t k = 0; k < typical.size();) {
    const std::size_t at = (first + k) / block_;
    const std::size_t count = std::min((at + 1) * block_ - first, typical.size()) - k;
    const Pool& pool = pools_[at];
    add_moderated(
        condition_.subspan(first + k, count),
        {pool.prior, pool.weight, pool.typical * pool.typical, pool.widening * pool.widening},
        &typical[k], &wide[k]);
    k += count;
  }
}

double ModeratedCondition::wide(std::size_t i) const { return of(i, &Pool::widening); }

double ModeratedCondition::typical(std::size_t i) const { return of(i, &Pool::typical); }

double ModeratedCondition::of(std::size_t i, double Pool::*factor) const {
  if (pools_.empty() || condition_[i] == 0) return 0;
  const Pool& pool = pools_[i / block_];
  return pool.*factor * std::sqrt(pool.prior + pool.weight * condition_[i] * condition_[i]);
}

}  // namespace kbench
