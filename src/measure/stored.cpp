#include "measure/stored.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kbench {
namespace {

double half_width(const Interval& interval) { return (interval.high - interval.low) / 2; }

// z with P(|Z| > z) = error, Z of the normal law.
double normal_quantile(double error) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2)) > error ? low : high) = middle;
  }
  return high;
}

// How much wider an interval is that may miss more rarely than those of records.
double widening(double error) {
  constexpr double known = 1 - interval_level;
  return error < known ? normal_quantile(error) / normal_quantile(known) : 1;
}

// ln of the largest ratio of two looks at the control.
double drift(const Interval& a, const Interval& b) {
  return std::log(std::max(a.high, b.high) / std::min(a.low, b.low));
}

}  // namespace

LogEstimate estimate_of_samples(std::span<const double> samples_ns) {
  constexpr double of_one_start = 0.01;
  StartTurns logs = logs_of(samples_ns);
  std::sort(logs.begin(), logs.end());
  if (const auto median = median_interval(logs, interval_level))
    return {quantile(logs, 0.5), {median->low - of_one_start, median->high + of_one_start}};
  const std::array starts = {time_of_start(logs)};
  return *time_of_starts(starts);
}

Compared compare_stored(const StoredTime& a, const StoredTime& b, const CompareRule& rule) {
  Compared compared;
  compared.pairs = std::min(a.samples, b.samples);
  compared.log_ratio = b.log_ns.value - a.log_ns.value;
  if (a.control_ns && b.control_ns) {
    const double both = std::hypot(half_width(a.log_ns.interval), half_width(b.log_ns.interval));
    const double half = both * widening(rule.error) + drift(*a.control_ns, *b.control_ns);
    compared.interval = {compared.log_ratio - half, compared.log_ratio + half};
  }
  compared.answer = answer_of(compared.interval, rule.margin);
  return compared;
}

}  // namespace kbench
