#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kbench {
namespace {

// Of n fair coins: the fewest ranks k..n+1-k (from 1) whose order statistics enclose the median
// with at least `confidence`, as the lower rank; 0 when not even 1..n does. The interval misses
// when fewer than k samples fall on one side, so it covers with P(k <= B <= n-k), B ~ Bin(n, 1/2).
std::size_t lower_rank(std::size_t n, double confidence) {
  // The binomial's weights relative to its middle one, outwards from it: nothing underflows early.
  const double count = static_cast<double>(n);
  std::vector<double> weights;  // of B = n/2, n/2 - 1, … 0
  double weight = 1;
  for (std::size_t b = n / 2;; --b) {
    weights.push_back(weight);
    weight *= static_cast<double>(b) / (count - static_cast<double>(b) + 1);
    if (b == 0 || weight == 0) break;
  }
  const bool even = n % 2 == 0;  // then the middle weight is there once, all others twice
  double total = 0;
  for (std::size_t i = weights.size(); i-- > 0;) total += (even && i == 0 ? 1 : 2) * weights[i];
  double inside = 0;
  for (std::size_t i = 0; i < weights.size() && i < n / 2; ++i) {
    inside += (even && i == 0 ? 1 : 2) * weights[i];
    if (inside >= confidence * total) return n / 2 - i;
  }
  return 0;
}

}  // namespace

double quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) return 0;
  const double place = static_cast<double>(sorted.size() - 1) * std::clamp(q, 0.0, 1.0);
  const auto low = static_cast<std::size_t>(place);
  if (low + 1 >= sorted.size()) return sorted.back();
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[low + 1] - sorted[low]);
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile(sorted, 0.5);
}

std::optional<Interval> median_interval(std::span<const double> sorted, double confidence) {
  const std::size_t rank = lower_rank(sorted.size(), confidence);
  if (rank == 0) return std::nullopt;
  return Interval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

Summary summarize(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  summary.count = sorted.size();
  summary.median = quantile(sorted, 0.5);
  summary.median_interval = median_interval(sorted, 0.95);
  summary.p10 = quantile(sorted, 0.1);
  summary.minimum = sorted.front();
  const double range = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  summary.relative_spread = summary.median > 0 ? range / summary.median : 0;
  return summary;
}

}  // namespace kbench
