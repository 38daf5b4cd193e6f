#include "measure/stored.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/rank_interval.hpp"

namespace kbench {
namespace {

struct Side {
  std::vector<double> logs;    // of the samples, in the order in which they were taken
  std::vector<double> sorted;  // the same logarithms
};

Side side_of(std::span<const double> samples_ns) {
  Side side;
  side.logs.reserve(samples_ns.size());
  for (const double ns : samples_ns) side.logs.push_back(std::log(ns));
  side.sorted = side.logs;
  std::sort(side.sorted.begin(), side.sorted.end());
  return side;
}

// ln of the ratio of the medians, as far as the samples tell.
std::optional<Interval> ratio_interval(const Side& first, const Side& second, double error) {
  constexpr std::size_t fewest = 7;  // that a slow call is timed
  const auto of_first = median_interval(first.sorted, 1 - error / 2);
  const auto of_second = median_interval(second.sorted, 1 - error / 2);
  if (of_first && of_second)
    return Interval{of_second->low - of_first->high, of_second->high - of_first->low};
  if (std::min(first.logs.size(), second.logs.size()) < fewest) return std::nullopt;
  return shift_interval(first.logs, second.logs, 1 - error);
}

// ln of the largest ratio of two looks at the control.
double drift(const Interval& a, const Interval& b) {
  return std::log(std::max(a.high, b.high) / std::min(a.low, b.low));
}

}  // namespace

double unknown_of_loads(std::optional<double> between_loads, double quickest_ns) {
  constexpr double of_one_load = 0.01;
  constexpr double null_call_ns = 2;
  return between_loads.value_or(of_one_load) + std::log1p(null_call_ns / quickest_ns);
}

Compared compare_stored(const StoredSamples& a, const StoredSamples& b, const CompareRule& rule) {
  const Side first = side_of(a.samples_ns), second = side_of(b.samples_ns);
  const double log_a = quantile(first.sorted, 0.5), log_b = quantile(second.sorted, 0.5);
  Compared compared;
  compared.pairs = std::min(first.logs.size(), second.logs.size());
  compared.log_ratio = log_b - log_a;
  const auto interval = ratio_interval(first, second, rule.error);
  if (interval && a.control_ns && b.control_ns) {
    const double quickest_ns = std::exp(std::min(log_a, log_b));
    const double unknown = drift(*a.control_ns, *b.control_ns) +
                           std::max(unknown_of_loads(a.between_loads, quickest_ns),
                                    unknown_of_loads(b.between_loads, quickest_ns));
    compared.interval = {interval->low - unknown, interval->high + unknown};
  }
  compared.answer = answer_of(compared.interval, rule.margin);
  return compared;
}

}  // namespace kbench
