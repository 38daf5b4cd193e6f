#include "measure/starts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

TEST(RatioOfStart, IsOfTheUndisturbedTurnsOfBoth) {
  const StartTurns first = {1, 1, 1, 9, 1, 1}, second = {3, 3, 8, 3, 3, 3};
  EXPECT_DOUBLE_EQ(ratio_of_start(first, second).value, 2);
  EXPECT_DOUBLE_EQ(ratio_of_start(second, first).value, -2);
}

TEST(EstimateOfStarts, IsTheirMeanAndNothingOfNone) {
  EXPECT_FALSE(estimate_of_starts({}));
  const std::vector<StartValue> starts = {{1.00, 0}, {1.01, 0}, {1.02, 0}};
  const auto estimate = estimate_of_starts(starts);
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->value, 1.01);
  EXPECT_LT(estimate->interval.low, 1.00);
  EXPECT_GT(estimate->interval.high, 1.02);
  EXPECT_NEAR(estimate->interval.high - 1.01, 1.01 - estimate->interval.low, 1e-12);
}

double width_of(const std::vector<StartValue>& starts) {
  const auto estimate = estimate_of_starts(starts);
  return estimate->interval.high - estimate->interval.low;
}

// A single start knows nothing of others, and starts that agree by chance are no proof.
TEST(EstimateOfStarts, IsWiderForFewerAndForThoseThatDiffer) {
  EXPECT_GT(width_of({{1, 0}}), width_of({{1, 0}, {1, 0}}));
  EXPECT_GT(width_of({{1, 0}, {1, 0}}), width_of({{1, 0}, {1, 0}, {1, 0}}));
  EXPECT_GT(width_of({{1, 0}, {1, 0}, {1, 0}}), 0.01);
  EXPECT_GT(width_of({{0.8, 0}, {1, 0}, {1.2, 0}}), 0.5);
  EXPECT_GT(width_of({{1, 0.01}, {1, 0.01}, {1, 0.01}}), width_of({{1, 0}, {1, 0}, {1, 0}}));
}

// Starts that differ by the prior's standard deviation, by five and by twenty times that.
TEST(EstimateOfStarts, HoldsAsOftenAsItSays) {
  for (const double spread : {0.012, 0.06, 0.24}) {
    for (const int count : {1, 2, 3}) {
      std::mt19937_64 random(static_cast<std::uint64_t>(count));
      std::normal_distribution<double> law(0, spread);
      int missed = 0;
      constexpr int times = 2000;
      for (int i = 0; i < times; ++i) {
        std::vector<StartValue> starts;
        for (int s = 0; s < count; ++s) starts.push_back({law(random), spread * spread / 2});
        const auto estimate = estimate_of_starts(starts);
        missed += estimate->interval.low > 0 || estimate->interval.high < 0 ? 1 : 0;
      }
      EXPECT_LE(missed, times / 100 * 1.4) << spread << " of " << count;
    }
  }
}

}  // namespace
}  // namespace kbench
