#include "measure/rank_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace kbench {
namespace {

// Published critical values of the two-sided test: U at most this large is significant at 5 %.
TEST(RankQuantile, IsOneAboveTheCriticalValuesOfTables) {
  EXPECT_EQ(rank_quantile(5, 5, 0.025), 2U + 1);
  EXPECT_EQ(rank_quantile(7, 7, 0.025), 8U + 1);
  EXPECT_EQ(rank_quantile(8, 10, 0.025), 17U + 1);
  EXPECT_EQ(rank_quantile(20, 20, 0.025), 127U + 1);
  EXPECT_EQ(rank_quantile(20, 20, 0.005), 105U + 1);
}

TEST(RankQuantile, IsTheSameEitherWay) {
  for (std::size_t i = 1; i < 12; ++i)
    EXPECT_EQ(rank_quantile(i, 9, 0.01), rank_quantile(9, i, 0.01));
}

TEST(ShiftInterval, NeedsEnoughValues) {
  const std::vector<double> three = {1, 2, 3};
  EXPECT_FALSE(shift_interval(three, three, 0.92));  // one of ten draws is as far apart as can be
  EXPECT_TRUE(shift_interval(three, three, 0.88));
  EXPECT_FALSE(shift_interval({}, three, 0.5));
}

// Draws from a law with heavy tails, in samples of two sizes.
TEST(ShiftInterval, MissesAsRarelyAsItSays) {
  std::mt19937_64 random(1);
  std::student_t_distribution<double> law(2);
  const auto draw = [&](std::size_t count, double shift) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(shift + law(random));
    return values;
  };
  int misses = 0;
  constexpr int trials = 4000;
  for (int i = 0; i < trials; ++i) {
    const auto interval = shift_interval(draw(7, 0), draw(90, 3), 0.95);
    ASSERT_TRUE(interval);
    misses += interval->low > 3 || interval->high < 3 ? 1 : 0;
  }
  EXPECT_LE(misses, 0.05 * trials + 3 * std::sqrt(0.05 * 0.95 * trials));
  EXPECT_GE(misses, 0.02 * trials);  // nor is it wider than it need be
}

TEST(SignedRankInterval, NeedsTwentyValues) {
  std::vector<double> values(19, 1.0);
  EXPECT_FALSE(signed_rank_interval(values, 0.99));
  values.push_back(1);
  EXPECT_EQ(signed_rank_interval(values, 0.99)->low, 1);
  EXPECT_EQ(signed_rank_interval(values, 0.99)->high, 1);
}

// The law has two modes, as a neighbour makes it that comes and goes.
TEST(SignedRankInterval, MissesAsRarelyAsItSays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  int misses = 0;
  constexpr int trials = 2000;
  double width = 0;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> values;
    for (int k = 0; k < 60; ++k)
      values.push_back(3 + (random() % 2 == 0 ? 0.5 : -0.5) + noise(random));
    std::sort(values.begin(), values.end());
    const auto interval = signed_rank_interval(values, 0.95);
    ASSERT_TRUE(interval);
    misses += interval->low > 3 || interval->high < 3 ? 1 : 0;
    width += (interval->high - interval->low) / trials;
  }
  EXPECT_LE(misses, 0.05 * trials + 3 * std::sqrt(0.05 * 0.95 * trials));
  EXPECT_LT(width, 0.6);  // the modes are 1 apart
}

}  // namespace
}  // namespace kbench
