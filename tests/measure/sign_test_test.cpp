#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "measure/comparison.hpp"

namespace kbench {
namespace {

TEST(EValue, ExpectsNoGainFromFairCoins) {
  for (const std::size_t n : {1U, 2U, 5U, 10U, 30U}) {
    double expected = 0;
    const auto count = static_cast<double>(n);
    for (std::size_t k = 0; k <= n; ++k) {
      const auto won = static_cast<double>(k);
      const double log_chance = std::lgamma(count + 1) - std::lgamma(won + 1) -
                                std::lgamma(count - won + 1) - count * std::log(2.0);
      expected += std::exp(log_chance + log_e_value(k, n));
    }
    EXPECT_NEAR(expected, 1, 1e-9) << n;
  }
}

TEST(EValue, OfNothingIsOne) { EXPECT_DOUBLE_EQ(log_e_value(0, 0), 0); }

TEST(EValue, GrowsWithEachSuccessOnceItTellsAnything) {
  for (std::size_t k = 51; k <= 100; ++k)
    EXPECT_GT(log_e_value(k, 100), log_e_value(k - 1, 100)) << k;
}

TEST(FewestSuccesses, AreTheFirstThatReachTheLevel) {
  for (std::size_t n = 0; n <= 300; ++n) {
    const std::size_t k = fewest_successes(n, 0.005);
    const double wanted = std::log(200.0);
    if (k <= n) {
      EXPECT_GE(log_e_value(k, n), wanted) << n;
    }
    if (k > 0 && k - 1 > n / 2) {
      EXPECT_LT(log_e_value(k - 1, n), wanted) << n;
    }
  }
}

TEST(FewestSuccesses, TenInARowAreEnoughForOneInTwoHundred) {
  EXPECT_EQ(fewest_successes(9, 0.005), 10U);  // not even all of 9
  EXPECT_EQ(fewest_successes(10, 0.005), 10U);
}

// Ville's inequality, looked at after each of 400 trials.
TEST(FewestSuccesses, AreRarelyReachedByFairCoinsAtAnyLook) {
  constexpr double level = 0.02;
  constexpr int walks = 10'000;
  std::vector<std::size_t> enough;
  for (std::size_t n = 0; n <= 400; ++n) enough.push_back(fewest_successes(n, level));
  std::mt19937_64 random(7);
  int reached = 0;
  for (int walk = 0; walk < walks; ++walk) {
    std::size_t successes = 0;
    for (std::size_t n = 1; n <= 400; ++n) {
      successes += random() >> 63;
      if (successes < enough[n]) continue;
      ++reached;
      break;
    }
  }
  EXPECT_LE(reached, level * walks);
  EXPECT_GT(reached, level * walks / 10);  // or it would be needlessly slow to decide
}

}  // namespace
}  // namespace kbench
