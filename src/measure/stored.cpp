#include "measure/stored.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kbench {
namespace {

std::vector<double> sorted_logs(std::span<const double> samples_ns) {
  std::vector<double> logs;
  for (const double ns : samples_ns) logs.push_back(std::log(ns));
  std::sort(logs.begin(), logs.end());
  return logs;
}

// ln of the largest ratio of two looks at the control.
double drift(const Interval& a, const Interval& b) {
  return std::log(std::max(a.high, b.high) / std::min(a.low, b.low));
}

// What another load of the same could have taken, as a logarithm of a ratio.
double unknown_of_loads(const StoredSamples& a, const StoredSamples& b, double quickest_ns) {
  constexpr double of_one_load = 0.01;
  constexpr double null_call_ns = 2;
  return std::max(a.between_loads.value_or(of_one_load), b.between_loads.value_or(of_one_load)) +
         std::log1p(null_call_ns / quickest_ns);
}

}  // namespace

Compared compare_stored(const StoredSamples& a, const StoredSamples& b, const CompareRule& rule) {
  const std::vector<double> first = sorted_logs(a.samples_ns);
  const std::vector<double> second = sorted_logs(b.samples_ns);
  Compared compared;
  compared.pairs = std::min(first.size(), second.size());
  compared.log_ratio = quantile(second, 0.5) - quantile(first, 0.5);
  const auto of_first = median_interval(first, 1 - rule.error / 2);
  const auto of_second = median_interval(second, 1 - rule.error / 2);
  if (of_first && of_second && a.control_ns && b.control_ns) {
    const double unknown =
        drift(*a.control_ns, *b.control_ns) +
        unknown_of_loads(a, b, std::exp(std::min(quantile(first, 0.5), quantile(second, 0.5))));
    compared.interval = {of_second->low - of_first->high - unknown,
                         of_second->high - of_first->low + unknown};
  }
  compared.answer = answer_of(compared.interval, rule.margin);
  return compared;
}

}  // namespace kbench
