#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "measure/statistics.hpp"

namespace kbench {
namespace {

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
  EXPECT_LT(estimate->interval.low, 0.99);
  EXPECT_NEAR(estimate->interval.high - estimate->value, estimate->value - estimate->interval.low,
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
  return estimate->interval.high - estimate->interval.low;
}

// A single start knows nothing of others, and starts that agree by chance are no proof.
TEST(TimeOfStarts, IsWiderForFewerAndForThoseThatDiffer) {
  EXPECT_GT(width_of(exactly({1})), width_of(exactly({1, 1})));
  EXPECT_GT(width_of(exactly({1, 1, 1})), width_of(exactly({1, 1, 1, 1, 1, 1, 1})));
  EXPECT_GT(width_of(exactly({1, 1, 1})), 0.01);
  EXPECT_GT(width_of(exactly({0.8, 1, 1.2})), 0.3);
  EXPECT_GT(width_of({{1, 0.01}, {1, 0.01}, {1, 0.01}}), width_of(exactly({1, 1, 1})));
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
        missed += estimate->interval.low > 0 || estimate->interval.high < 0 ? 1 : 0;
      }
      EXPECT_LE(missed, times * (share > 0 ? 0.04 : 0.014)) << share << " of " << count;
    }
  }
}

}  // namespace
}  // namespace kbench
