#include "measure/stored.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/rank_interval.hpp"

namespace kbench {
namespace {

std::vector<double> logs_of(std::span<const double> samples_ns) {
  std::vector<double> logs;
  for (const double ns : samples_ns) logs.push_back(std::log(ns));
  return logs;
}

// ln of the ratio of the medians, as far as the samples tell.
std::optional<Interval> ratio_interval(std::span<const double> first,
                                       std::span<const double> second, double error) {
  constexpr std::size_t fewest = 7;  // that a slow call is timed
  const auto sorted = [](std::span<const double> values) {
    std::vector<double> out(values.begin(), values.end());
    std::sort(out.begin(), out.end());
    return out;
  };
  const auto of_first = median_interval(sorted(first), 1 - error / 2);
  const auto of_second = median_interval(sorted(second), 1 - error / 2);
  if (of_first && of_second)
    return Interval{of_second->low - of_first->high, of_second->high - of_first->low};
  if (std::min(first.size(), second.size()) < fewest) return std::nullopt;
  return shift_interval(first, second, 1 - error);
}

// ln of the largest ratio of two looks at the control.
double drift(const Interval& a, const Interval& b) {
  return std::log(std::max(a.high, b.high) / std::min(a.low, b.low));
}

}  // namespace

double unknown_of_loads(std::optional<double> between_loads, double quickest_ns,
                        double of_one_load) {
  constexpr double null_call_ns = 2;
  return between_loads.value_or(of_one_load) + std::log1p(null_call_ns / quickest_ns);
}

Compared compare_stored(const StoredSamples& a, const StoredSamples& b, const CompareRule& rule) {
  const std::vector<double> first = logs_of(a.samples_ns);
  const std::vector<double> second = logs_of(b.samples_ns);
  const double log_a = median_of(first), log_b = median_of(second);
  Compared compared;
  compared.pairs = std::min(first.size(), second.size());
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
