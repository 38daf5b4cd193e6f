#include "measure/stored.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/rank_interval.hpp"

namespace kbench {
namespace {

std::vector<double> logs_of(std::span<const double> samples_ns) {
  std::vector<double> logs;
  logs.reserve(samples_ns.size());
  for (const double ns : samples_ns) logs.push_back(std::log(ns));
  return logs;
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> out(values.begin(), values.end());
  std::sort(out.begin(), out.end());
  return out;
}

// ln of the median; of an even count, the mean of the two logarithms in the middle.
double log_of_median(std::span<const double> sorted_ns) {
  if (sorted_ns.empty()) return 0;
  const std::size_t last = sorted_ns.size() - 1;
  return (std::log(sorted_ns[last / 2]) + std::log(sorted_ns[last - last / 2])) / 2;
}

// ln of the ratio of the medians, as far as the samples tell.
// `a`, `b`: in the order in which they were taken; `first`, `second`: the same, sorted.
std::optional<Interval> ratio_interval(std::span<const double> a, std::span<const double> b,
                                       std::span<const double> first,
                                       std::span<const double> second, double error) {
  constexpr std::size_t fewest = 7;  // that a slow call is timed
  const auto of_first = median_interval(first, 1 - error / 2);
  const auto of_second = median_interval(second, 1 - error / 2);
  if (of_first && of_second)
    return Interval{std::log(of_second->low / of_first->high),
                    std::log(of_second->high / of_first->low)};
  if (std::min(a.size(), b.size()) < fewest) return std::nullopt;
  return shift_interval(logs_of(a), logs_of(b), 1 - error);
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
  const std::vector<double> first = sorted(a.samples_ns), second = sorted(b.samples_ns);
  const double log_a = log_of_median(first), log_b = log_of_median(second);
  Compared compared;
  compared.pairs = std::min(first.size(), second.size());
  compared.log_ratio = log_b - log_a;
  const auto interval = ratio_interval(a.samples_ns, b.samples_ns, first, second, rule.error);
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
