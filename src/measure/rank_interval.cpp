#include "measure/rank_interval.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

namespace kbench {
namespace {

constexpr std::size_t most_values = 64;  // U's distribution is known in milliseconds

std::vector<double> thinned(std::span<const double> values) {
  const std::size_t count = std::min(values.size(), most_values);
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(values[i * values.size() / count]);
  return out;
}

// That of sizes which came before is known: runs have a few sizes and thousands of pairs.
std::size_t known_rank_quantile(std::size_t first, std::size_t second, double probability) {
  thread_local std::map<std::tuple<std::size_t, std::size_t, double>, std::size_t> known;
  const auto [place, is_new] = known.try_emplace({first, second, probability});
  if (is_new) place->second = rank_quantile(first, second, probability);
  return place->second;
}

// z with P(|Z| > z) = error, Z of the normal law.
double normal_quantile(double error) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2)) > error ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::size_t rank_quantile(std::size_t first, std::size_t second, double probability) {
  // P(U = u) for samples of i and of j, row by row of i; the last of all i + j is of either sample:
  // p(i, j, u) = i/(i+j) p(i-1, j, u-j) + j/(i+j) p(i, j-1, u).
  const std::size_t size = first * second + 1;
  std::vector<std::vector<double>> before(second + 1, std::vector<double>(size));
  for (std::vector<double>& none_of_first : before) none_of_first[0] = 1;
  for (std::size_t i = 1; i <= first; ++i) {
    std::vector<std::vector<double>> now(second + 1, std::vector<double>(size));
    now[0][0] = 1;
    for (std::size_t j = 1; j <= second; ++j) {
      const double share = static_cast<double>(i) / static_cast<double>(i + j);
      for (std::size_t u = 0; u <= i * j; ++u)
        now[j][u] = (u >= j ? share * before[j][u - j] : 0) + (1 - share) * now[j - 1][u];
    }
    before = std::move(now);
  }
  double sum = 0;
  std::size_t u = 0;
  while (u < size && sum + before[second][u] <= probability) sum += before[second][u++];
  return u;
}

std::optional<Interval> shift_interval(std::span<const double> a, std::span<const double> b,
                                       double confidence) {
  const std::vector<double> first = thinned(a), second = thinned(b);
  const std::size_t left_out =
      known_rank_quantile(first.size(), second.size(), (1 - confidence) / 2);
  if (left_out == 0) return std::nullopt;
  std::vector<double> differences;
  for (const double y : second)
    for (const double x : first) differences.push_back(y - x);
  std::sort(differences.begin(), differences.end());
  return Interval{differences[left_out - 1], differences[differences.size() - left_out]};
}

std::optional<Interval> signed_rank_interval(std::span<const double> sorted, double confidence) {
  constexpr std::size_t fewest = 20;
  if (sorted.size() < fewest) return std::nullopt;
  std::vector<double> averages;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t j = i; j < sorted.size(); ++j) averages.push_back((sorted[i] + sorted[j]) / 2);
  const auto n = static_cast<double>(sorted.size());
  const double deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const auto left_out = static_cast<std::size_t>(
      std::max(0.0, n * (n + 1) / 4 - normal_quantile(1 - confidence) * deviation));
  std::sort(averages.begin(), averages.end());
  return Interval{averages[left_out], averages[averages.size() - 1 - left_out]};
}

}  // namespace kbench
