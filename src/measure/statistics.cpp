#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kbench {
namespace {

// The highest rank k (from 1) with P(B < k) <= outside, B ~ Bin(n, q): as many samples lie below
// the quantile q, which is below that of rank k so rarely. 0: none.
std::size_t lower_rank(std::size_t n, double q, double outside) {
  const auto count = static_cast<double>(n);
  double below = 0;                          // P(B < k)
  double log_next = count * std::log1p(-q);  // ln P(B = k)
  for (std::size_t k = 0; k < n; ++k) {
    below += std::exp(log_next);
    if (below > outside) return k;
    const auto b = static_cast<double>(k);
    log_next += std::log((count - b) / (b + 1) * q / (1 - q));
  }
  return n;
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

std::optional<Interval> quantile_interval(std::span<const double> sorted, double q,
                                          double confidence) {
  const double outside = (1 - confidence) / 2;
  const std::size_t below = lower_rank(sorted.size(), q, outside);
  const std::size_t above = q == 0.5 ? below : lower_rank(sorted.size(), 1 - q, outside);
  if (below == 0 || above == 0) return std::nullopt;
  return Interval{sorted[below - 1], sorted[sorted.size() - above]};
}

std::optional<Interval> median_interval(std::span<const double> sorted, double confidence) {
  return quantile_interval(sorted, 0.5, confidence);
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
