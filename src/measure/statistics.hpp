// Samples → what they say. No clock, no device.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

namespace kbench {

struct Interval {
  double low = 0;
  double high = 0;

  double half_width() const { return (high - low) / 2; }
  Interval operator-(const Interval& other) const { return {low - other.high, high - other.low}; }
};

// Returns the interval of a value that rises with this one: of its logarithm, in another unit.
template <class Rising>
std::optional<Interval> rescaled(const std::optional<Interval>& interval, const Rising& rising) {
  if (!interval) return std::nullopt;
  return Interval{rising(interval->low), rising(interval->high)};
}
inline std::optional<Interval> exp_of(const std::optional<Interval>& logs) {
  return rescaled(logs, [](double log) { return std::exp(log); });
}

struct Estimate {
  double value = 0;
  std::optional<Interval> interval;
};

// Returns the mean, whose interval is that of theirs where all have one; nothing of none.
std::optional<Estimate> mean_of(std::span<const Estimate> estimates);

struct Summary {
  std::size_t count = 0;
  double median = 0;
  std::optional<Interval> median_interval;  // 95 %, order statistics; nothing below 6 samples
  double p10 = 0;
  double minimum = 0;
};

// Quantile q in [0, 1] by linear interpolation between order statistics (Hyndman & Fan, type 7).
double quantile(std::span<const double> sorted, double q);

// Returns the median of values in any order; 0 for none.
double median_of(std::span<const double> values);

// The narrowest order-statistic interval that covers the median with at least `confidence`: exact
// from the binomial distribution, free of any distribution of the samples. Nothing where they are
// too few.
std::optional<Interval> median_interval(std::span<const double> sorted, double confidence);

// Samples in any order; all zero for none.
Summary summarize(std::span<const double> samples);

// Turns of several starts of a program → one value with an interval. No clock, no device.
constexpr double interval_level = 0.99;  // level of records

// Natural logarithms of what one start measured, one of each turn.
using StartTurns = std::vector<double>;
StartTurns logs_of(std::span<const double> samples_ns);

// One start's value, and how far another set of its turns would lie from that.
struct StartValue {
  double value = 0;
  double variance = 0;
  Interval turns = {-INFINITY, INFINITY};  // the fastest and the slowest
};

// The 10th percentile of the turns: other programs and the system only ever make a turn longer. The
// variance is that of the middle of 64 sets drawn from these turns (Efron's bootstrap).
StartValue time_of_start(const StartTurns& log_ns);

// The mean of the starts, and Student's interval of it at interval_level. Starts differ by where
// code, stack and tensors came to lie, and by what else the machine did. Few starts show little of
// that: their variance is averaged with a prior's, each weighted by its degrees of freedom (Smyth,
// "Linear models and empirical Bayes methods", 2004, section 3). The prior is what starts differ by
// on a quiet machine, and the variance within them. The interval reaches no farther than the turns,
// but for the prior: few turns that others interrupted say little else. Nothing of no start.
std::optional<Estimate> time_of_starts(std::span<const StartValue> starts);
// ln(time of the second / time of the first), likewise.
std::optional<Estimate> ratio_of_starts(std::span<const StartValue> first,
                                        std::span<const StartValue> second);

// Tells whether another start may tell more, where there is time for one.
bool is_wide(const Estimate& estimate);

}  // namespace kbench
