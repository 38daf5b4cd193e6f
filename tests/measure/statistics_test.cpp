#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace kbench {
namespace {

// Values 1, 2, … n: each is its rank.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

struct RankRow {
  std::size_t n;
  double low, high;
};

class MedianRanks : public testing::TestWithParam<RankRow> {};

// The ranks that tables of distribution-free 95 % intervals for the median give.
TEST_P(MedianRanks, AreThoseOfTheTables) {
  const auto interval = median_interval(ranks(GetParam().n), 0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->low, GetParam().low);
  EXPECT_EQ(interval->high, GetParam().high);
}

INSTANTIATE_TEST_SUITE_P(Tables, MedianRanks,
                         testing::Values(RankRow{6, 1, 6}, RankRow{7, 1, 7}, RankRow{8, 1, 8},
                                         RankRow{9, 2, 8}, RankRow{10, 2, 9}, RankRow{12, 3, 10},
                                         RankRow{15, 4, 12}, RankRow{20, 6, 15}, RankRow{25, 8, 18},
                                         RankRow{30, 10, 21}, RankRow{50, 18, 33},
                                         RankRow{100, 40, 61}));

TEST(MedianInterval, NeedsSixSamples) {
  for (std::size_t n = 0; n < 6; ++n) {
    EXPECT_FALSE(median_interval(ranks(n), 0.95).has_value()) << n;
  }
}

TEST(MedianInterval, NeedsMoreSamplesForMoreConfidence) {
  EXPECT_FALSE(median_interval(ranks(7), 0.99).has_value());
  ASSERT_TRUE(median_interval(ranks(8), 0.99).has_value());
  EXPECT_EQ(median_interval(ranks(8), 0.99)->low, 1);
}

// Returns P(k <= Bin(n, 1/2) <= n-k), from factorials' logarithms.
double coverage(std::size_t n, std::size_t k) {
  double sum = 0;
  const double count = static_cast<double>(n);
  for (std::size_t b = k; b <= n - k; ++b) {
    const auto x = static_cast<double>(b);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(x + 1) - std::lgamma(count - x + 1) -
                    count * std::log(2.0));
  }
  return sum;
}

TEST(MedianInterval, IsTheNarrowestThatCovers) {
  for (const double confidence : {0.5, 0.9, 0.95, 0.99, 0.999}) {
    for (std::size_t n = 1; n <= 400; ++n) {
      const auto interval = median_interval(ranks(n), confidence);
      if (!interval) {
        EXPECT_LT(coverage(n, 1), confidence) << n;
        continue;
      }
      const auto k = static_cast<std::size_t>(interval->low);
      EXPECT_EQ(interval->low + interval->high, static_cast<double>(n + 1));
      EXPECT_GE(coverage(n, k), confidence - 1e-9) << n;
      if (2 * (k + 1) <= n) {
        EXPECT_LT(coverage(n, k + 1), confidence) << n;
      }
    }
  }
}

TEST(MedianInterval, OfAMillionSamplesFollowsTheNormalLimit) {
  const std::size_t n = 1000000;
  const auto interval = median_interval(ranks(n), 0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 0.5 * n - 1.959964 * std::sqrt(n) / 2, 2);
}

TEST(MedianInterval, CoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> skewed(0, 1);  // median 1
  int covered = 0;
  constexpr int experiments = 20000;
  for (int i = 0; i < experiments; ++i) {
    std::vector<double> samples(20);
    for (double& sample : samples) sample = skewed(random);
    std::sort(samples.begin(), samples.end());
    const auto interval = median_interval(samples, 0.95);
    covered += interval->low <= 1 && 1 <= interval->high;
  }
  // (6, 15) of 20 covers with 0.9586; four standard errors to either side.
  EXPECT_NEAR(static_cast<double>(covered) / experiments, 0.9586, 0.0057);
}

TEST(Quantile, IsTypeSeven) {
  const std::vector<double> values = {1, 2, 4, 8};  // R: quantile(c(1,2,4,8), type = 7)
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.75), 5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 6.8);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 8);
}

TEST(Quantile, OfOneAndOfNone) {
  EXPECT_EQ(quantile(std::vector<double>{3}, 0.7), 3);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(Summarize, Figures) {
  const std::vector<double> samples = {5, 1, 4, 2, 3, 6, 7, 8, 9, 10, 11};
  const Summary summary = summarize(samples);
  EXPECT_EQ(summary.count, 11U);
  EXPECT_DOUBLE_EQ(summary.median, 6);
  EXPECT_DOUBLE_EQ(summary.p10, 2);
  EXPECT_DOUBLE_EQ(summary.minimum, 1);
  ASSERT_TRUE(summary.median_interval.has_value());
  EXPECT_EQ(summary.median_interval->low, 2);
  EXPECT_EQ(summary.median_interval->high, 10);
}

TEST(Summarize, OfNoneIsZero) {
  const Summary summary = summarize({});
  EXPECT_EQ(summary.count, 0U);
  EXPECT_EQ(summary.median, 0);
  EXPECT_FALSE(summary.median_interval.has_value());
}

TEST(Summarize, DoesNotDependOnOrderAndScales) {
  std::mt19937_64 random(2);
  std::vector<double> samples(137);
  for (double& sample : samples) sample = static_cast<double>(random() % 1000) + 1;
  const Summary before = summarize(samples);
  std::shuffle(samples.begin(), samples.end(), random);
  const Summary shuffled = summarize(samples);
  for (double& sample : samples) sample *= 4;
  const Summary scaled = summarize(samples);
  EXPECT_EQ(before.median, shuffled.median);
  EXPECT_EQ(before.median_interval->low, shuffled.median_interval->low);
  EXPECT_EQ(before.p10, shuffled.p10);
  EXPECT_EQ(before.median * 4, scaled.median);
  EXPECT_EQ(before.p10 * 4, scaled.p10);
  EXPECT_EQ(before.median_interval->high * 4, scaled.median_interval->high);
}

TEST(Summarize, StandsInOrder) {
  std::mt19937_64 random(3);
  for (std::size_t n = 6; n < 200; ++n) {
    std::vector<double> samples(n);
    for (double& sample : samples) sample = static_cast<double>(random() % 50) + 1;
    const Summary s = summarize(samples);
    EXPECT_LE(s.minimum, s.p10);
    EXPECT_LE(s.p10, s.median);
    EXPECT_LE(s.median_interval->low, s.median);
    EXPECT_LE(s.median, s.median_interval->high);
  }
}

TEST(TimeOfStart, IsTheTenthPercentile) {
  StartTurns turns;
  for (int i = 0; i <= 10; ++i) turns.push_back(i);
  EXPECT_DOUBLE_EQ(time_of_start(turns).value, 1);
  EXPECT_DOUBLE_EQ(time_of_start({3}).value, 3);
  EXPECT_DOUBLE_EQ(time_of_start({3}).variance, 0);
  EXPECT_GT(time_of_start(turns).variance, 0);
  EXPECT_DOUBLE_EQ(time_of_start(turns).variance, time_of_start(turns).variance);
}

std::vector<StartValue> exactly(const std::vector<double>& values) {
  std::vector<StartValue> starts;
  for (const double value : values) starts.push_back({value, 0});
  return starts;
}

TEST(TimeOfStarts, IsTheirMeanAndNothingOfNone) {
  EXPECT_FALSE(time_of_starts({}));
  EXPECT_DOUBLE_EQ(time_of_starts(exactly({1}))->value, 1);
  EXPECT_DOUBLE_EQ(time_of_starts(exactly({1, 2, 6}))->value, 3);
}

TEST(TimeOfStarts, LiesInTheMiddleOfItsInterval) {
  const auto estimate = time_of_starts(exactly({1.00, 1.01, 1.02}));
  ASSERT_TRUE(estimate);
  EXPECT_LT(estimate->interval->low, 0.99);
  EXPECT_NEAR(estimate->interval->high - estimate->value, estimate->value - estimate->interval->low,
              1e-12);
}

TEST(RatioOfStarts, IsOfStartsThatWereTimedInTurn) {
  const auto first = exactly({1, 1, 5}), second = exactly({3, 3, 7});
  EXPECT_DOUBLE_EQ(ratio_of_starts(first, second)->value, 2);
  EXPECT_DOUBLE_EQ(ratio_of_starts(second, first)->value, -2);
  EXPECT_FALSE(ratio_of_starts(first, {}));
}

double width_of(const std::vector<StartValue>& starts) {
  const auto estimate = time_of_starts(starts);
  return estimate->interval->high - estimate->interval->low;
}

// A single start knows nothing of others, and starts that agree by chance are no proof.
TEST(TimeOfStarts, IsWiderForFewerAndForThoseThatDiffer) {
  EXPECT_GT(width_of(exactly({1})), width_of(exactly({1, 1})));
  EXPECT_GT(width_of(exactly({1, 1, 1})), width_of(exactly({1, 1, 1, 1, 1, 1, 1})));
  EXPECT_GT(width_of(exactly({1, 1, 1})), 0.01);
  EXPECT_GT(width_of(exactly({0.8, 1, 1.2})), 0.3);
  EXPECT_GT(width_of({{1, 0.01}, {1, 0.01}, {1, 0.01}}), width_of(exactly({1, 1, 1})));
}

TEST(TimeOfStarts, ReachesLittleFartherThanItsTurns) {
  const StartValue torn{0, 1, -0.2, 0.3};
  const auto estimate = time_of_starts(std::vector{torn});
  EXPECT_GT(estimate->interval->low, -0.5);
  EXPECT_LT(estimate->interval->low, -0.2);
  EXPECT_LT(estimate->interval->high, 0.6);
  EXPECT_GT(estimate->interval->high, 0.3);
  const auto ratio = ratio_of_starts(std::vector{torn}, std::vector{torn});
  EXPECT_NEAR(ratio->interval->high, 0.5 + estimate->interval->high - 0.3, 1e-9);
}

TEST(IsWide, AsksForMoreWhereStartsDiffer) {
  EXPECT_FALSE(is_wide(*time_of_starts(exactly({1, 1, 1}))));
  EXPECT_TRUE(is_wide(*time_of_starts(exactly({1, 1.2, 1.2}))));
}

// Starts that differ by less than the prior says, and starts of which other programs slow one half.
TEST(RatioOfStarts, HoldsAsOftenAsItSays) {
  for (const double share : {0.0, 0.5}) {
    for (const int count : {3, 6, 12}) {
      std::mt19937_64 random(static_cast<std::uint64_t>(count));
      std::normal_distribution<double> law(0, 0.03);
      std::bernoulli_distribution is_disturbed(share);
      int missed = 0;
      constexpr int times = 2000;
      const auto start = [&] {
        return StartValue{law(random) + (is_disturbed(random) ? 0.4 : 0), 0.0001};
      };
      for (int i = 0; i < times; ++i) {
        std::vector<StartValue> first, second;
        for (int s = 0; s < count; ++s) first.push_back(start()), second.push_back(start());
        const auto estimate = ratio_of_starts(first, second);
        missed += estimate->interval->low > 0 || estimate->interval->high < 0 ? 1 : 0;
      }
      EXPECT_LE(missed, times * (share > 0 ? 0.04 : 0.014)) << share << " of " << count;
    }
  }
}

}  // namespace

}  // namespace kbench
