// Samples → what they say. No clock, no device.
#pragma once

#include <optional>
#include <span>

namespace kbench {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Summary {
  std::size_t count = 0;
  double median = 0;
  std::optional<Interval> median_interval;  // 95 %, order statistics; nothing below 6 samples
  double p10 = 0;
  double minimum = 0;
  double relative_spread = 0;  // interquartile range / median
};

// Quantile q in [0, 1] by linear interpolation between order statistics (Hyndman & Fan, type 7).
double quantile(std::span<const double> sorted, double q);

// Returns the median of values in any order; 0 for none.
double median_of(std::span<const double> values);

// The narrowest order-statistic interval that covers the quantile q with at least `confidence`, and
// misses it as rarely to either side: exact from the binomial distribution, free of any
// distribution of the samples. Nothing where they are too few: of the 10th percentile at 95 %,
// fewer than 36.
std::optional<Interval> quantile_interval(std::span<const double> sorted, double q,
                                          double confidence);
std::optional<Interval> median_interval(std::span<const double> sorted, double confidence);

// Samples in any order; all zero for none.
Summary summarize(std::span<const double> samples);

}  // namespace kbench
