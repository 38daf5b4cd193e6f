#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace kbench {
namespace {

// The highest rank k (from 1) with P(B < k) <= outside, B ~ Bin(n, 1/2): as many samples lie below
// the median, which is below that of rank k so rarely. 0: none.
std::size_t lower_rank(std::size_t n, double outside) {
  const auto count = static_cast<double>(n);
  double below = 0;                            // P(B < k)
  double log_next = count * std::log1p(-0.5);  // ln P(B = k)
  for (std::size_t k = 0; k < n; ++k) {
    below += std::exp(log_next);
    if (below > outside) return k;
    const auto b = static_cast<double>(k);
    log_next += std::log((count - b) / (b + 1));
  }
  return n;
}

}  // namespace

std::optional<Estimate> mean_of(std::span<const Estimate> estimates) {
  if (estimates.empty()) return std::nullopt;
  Estimate sum{0, Interval{}};
  for (const Estimate& one : estimates) {
    sum.value += one.value;
    if (!one.interval) sum.interval.reset();
    if (sum.interval)
      sum.interval = {sum.interval->low + one.interval->low,
                      sum.interval->high + one.interval->high};
  }
  const auto count = static_cast<double>(estimates.size());
  const auto part = [count](double of) { return of / count; };
  return Estimate{part(sum.value), rescaled(sum.interval, part)};
}

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
  const std::size_t rank = lower_rank(sorted.size(), (1 - confidence) / 2);
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
  return summary;
}

namespace {

constexpr double undisturbed = 0.1;  // the quantile of a start's turns that stands for it

// Standard deviation of the log time between starts of one program, and the degrees of freedom
// that this prior is worth. Starts that follow each other may lie in one phase of a neighbour that
// none of them shows (bench/speedup).
constexpr double between_starts = 0.04;
constexpr double prior_freedom = 4;

double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  double mean = 0, sum = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double low_quantile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, undisturbed);
}

struct Spread {
  double count = 0, mean = 0;
  double between = 0, within = 0;  // variances
  Interval turns = {INFINITY, -INFINITY};
};

Spread spread_of(std::span<const StartValue> starts) {
  Spread spread;
  std::vector<double> values;
  spread.count = static_cast<double>(starts.size());
  for (const StartValue& start : starts) {
    values.push_back(start.value);
    spread.mean += start.value / spread.count;
    spread.within += start.variance / spread.count;
    spread.turns = {std::min(spread.turns.low, start.turns.low),
                    std::max(spread.turns.high, start.turns.high)};
  }
  spread.between = variance_of(values);
  return spread;
}

// The value that Student's t exceeds, to either side together, with a probability of half a
// percent: an interval of a mean of few starts misses a little more often than it says.
double student_quantile(std::size_t degrees_of_freedom) {
  constexpr double known[] = {127.32, 14.089, 7.453, 5.598, 4.773, 4.317, 4.029, 3.833, 3.690,
                              3.581,  3.497,  3.428, 3.372, 3.326, 3.286, 3.252, 3.222, 3.197,
                              3.174,  3.153,  3.135, 3.119, 3.104, 3.091, 3.078};
  return known[std::clamp<std::size_t>(degrees_of_freedom, 1, std::size(known)) - 1];
}

}  // namespace

StartTurns logs_of(std::span<const double> samples_ns) {
  StartTurns logs;
  for (const double ns : samples_ns) logs.push_back(std::log(ns));
  return logs;
}

StartValue time_of_start(const StartTurns& log_ns) {
  constexpr std::size_t sets = 64;
  if (log_ns.empty()) return {};
  std::minstd_rand random(1);
  std::vector<double> values, drawn(log_ns.size());
  for (std::size_t set = 0; set < sets; ++set) {
    for (double& one : drawn) one = log_ns[random() % log_ns.size()];
    values.push_back(low_quantile(drawn));
  }
  std::sort(values.begin(), values.end());
  // Two standard deviations lie between these quantiles of a normal law.
  const double deviation = (quantile(values, 0.84) - quantile(values, 0.16)) / 2;
  const auto [fastest, slowest] = std::minmax_element(log_ns.begin(), log_ns.end());
  return {low_quantile(log_ns), deviation * deviation, {*fastest, *slowest}};
}

std::optional<Estimate> time_of_starts(std::span<const StartValue> starts) {
  if (starts.empty()) return std::nullopt;
  const Spread spread = spread_of(starts);
  const double prior = between_starts * between_starts + spread.within;
  const double freedom = prior_freedom + spread.count - 1;
  const double variance = (prior_freedom * prior + (spread.count - 1) * spread.between) / freedom;
  const double factor =
      student_quantile(static_cast<std::size_t>(freedom)) / std::sqrt(spread.count);
  const double half = factor * std::sqrt(variance), least = factor * between_starts;
  return Estimate{spread.mean, Interval{std::max(spread.mean - half, spread.turns.low - least),
                                        std::min(spread.mean + half, spread.turns.high + least)}};
}

std::optional<Estimate> ratio_of_starts(std::span<const StartValue> first,
                                        std::span<const StartValue> second) {
  std::vector<StartValue> ratios;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    ratios.push_back({second[i].value - first[i].value, first[i].variance + second[i].variance,
                      second[i].turns - first[i].turns});
  return time_of_starts(ratios);
}

bool is_wide(const Estimate& estimate) {
  constexpr double wide = 0.18;  // half of it, as a log: printed as 20 %
  return estimate.interval->high - estimate.value > wide;
}

}  // namespace kbench
