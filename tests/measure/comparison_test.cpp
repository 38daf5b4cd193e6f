#include "measure/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

namespace kbench {
namespace {

constexpr std::size_t most_pairs = 1000;

// Log ratios around 0, one after the other.
using Noise = std::function<double()>;
using MakeNoise = Noise (*)(std::mt19937_64&);

Noise normal(std::mt19937_64& random) {
  return
      [&random, law = std::normal_distribution<double>(0, 0.01)]() mutable { return law(random); };
}

// Student's t with one degree of freedom: no mean, no variance.
Noise heavy_tails(std::mt19937_64& random) {
  return
      [&random, law = std::cauchy_distribution<double>(0, 0.005)]() mutable { return law(random); };
}

Noise bimodal(std::mt19937_64& random) {
  return [&random, law = std::normal_distribution<double>(0, 0.002)]() mutable {
    return law(random) + (random() % 2 == 0 ? 0.02 : -0.02);
  };
}

// Interrupts one side in one pair of four, either of the two alike.
Noise interrupted(std::mt19937_64& random) {
  return [&random, law = std::normal_distribution<double>(0, 0.001)]() mutable {
    const auto draw = random() % 8;
    return law(random) + (draw == 0 ? 1.0 : draw == 1 ? -1.0 : 0.0);
  };
}

// A position of the two that is always slower, in blocks whose order is random (measure/contest).
Noise position_bias(std::mt19937_64& random) {
  return [&random, law = std::normal_distribution<double>(0, 0.002), n = 0, sign = 1.0]() mutable {
    sign = n++ % 2 == 1 ? -sign : (random() % 2 == 0 ? 1.0 : -1.0);
    return law(random) + 0.01 * sign;
  };
}

struct Law {
  const char* name;
  MakeNoise make;
  double most_undecided;  // share undecided at a difference of 2 %, in most_pairs pairs
};

class Laws : public testing::TestWithParam<Law> {
 protected:
  Compared run(double true_log_ratio, const CompareRule& rule, std::mt19937_64& random) const {
    const Noise noise = GetParam().make(random);
    Comparison comparison(rule);
    while (comparison.answer() == Answer::undecided && comparison.log_ratios().size() < most_pairs)
      comparison.add(true_log_ratio + noise());
    return comparison.compared();
  }
};

TEST_P(Laws, OfTheSameAreRarelyCalledDifferent) {
  std::mt19937_64 random(1);
  int different = 0;
  for (int i = 0; i < 500; ++i) {
    const Answer answer = run(0, {0.005, 0.05}, random).answer;
    different += answer == Answer::faster || answer == Answer::slower ? 1 : 0;
  }
  EXPECT_LE(different, 25);  // 5 %
}

// The hardest case of the same: exactly at the margin, where half the pairs are beyond it.
TEST_P(Laws, AtTheMarginAreRarelyCalledDifferent) {
  std::mt19937_64 random(2);
  int slower = 0;
  for (int i = 0; i < 300; ++i)
    slower += run(std::log(1.005), {0.005, 0.05}, random).answer == Answer::slower ? 1 : 0;
  EXPECT_LE(slower, 15);
}

TEST_P(Laws, OfTwoPercentAreToldApart) {
  std::mt19937_64 random(3);
  int wrong = 0;
  int undecided = 0;
  for (int i = 0; i < 300; ++i) {
    const Answer answer = run(-std::log(1.02), {0.005, 0.01}, random).answer;
    wrong += answer == Answer::slower || answer == Answer::same ? 1 : 0;
    undecided += answer == Answer::undecided ? 1 : 0;
  }
  EXPECT_LE(wrong, 3);
  EXPECT_LE(undecided, 300 * GetParam().most_undecided);
}

// Stopping when it is known must not make the interval miss more often than it says.
TEST_P(Laws, IntervalHoldsTheTruthHoweverItWasStopped) {
  std::mt19937_64 random(4);
  for (const double truth : {0.0, 0.004, 0.01, -0.03}) {
    int missed = 0;
    for (int i = 0; i < 250; ++i) {
      const auto interval = run(truth, {0.005, 0.05}, random).interval;
      if (interval && (interval->low > truth || interval->high < truth)) ++missed;
    }
    EXPECT_LE(missed, 12) << truth;  // 5 %
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Laws,
                         testing::Values(Law{"normal", &normal, 0},
                                         Law{"heavy_tails", &heavy_tails, 0},
                                         Law{"bimodal", &bimodal, 1},
                                         Law{"interrupted", &interrupted, 0},
                                         Law{"position_bias", &position_bias, 0}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Comparison, AnswersWhatItsIntervalSays) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> law(0.006, 0.01);
  Comparison comparison({0.005, 0.05});
  for (int i = 0; i < 500; ++i) {
    comparison.add(law(random));
    const Compared compared = comparison.compared();
    EXPECT_EQ(comparison.answer(), compared.answer);
    EXPECT_EQ(answer_of(compared.interval, 0.005), compared.answer);
  }
}

TEST(Comparison, OfTenEqualPairsIsDecided) {
  for (const auto& [ratio, answer] :
       {std::pair{1.0, Answer::same}, {1.01, Answer::slower}, {1 / 1.01, Answer::faster}}) {
    Comparison comparison({0.005, 0.01});
    for (int i = 0; i < 9; ++i) comparison.add(std::log(ratio));
    EXPECT_EQ(comparison.answer(), Answer::undecided);
    EXPECT_FALSE(comparison.compared().interval);
    comparison.add(std::log(ratio));
    EXPECT_EQ(comparison.answer(), answer);
    EXPECT_NEAR(comparison.compared().log_ratio, std::log(ratio), 1e-12);
  }
}

TEST(Comparison, NeedsMorePairsForASmallerError) {
  EXPECT_EQ(fewest_pairs({0.005, 0.01}), 10U);
  EXPECT_EQ(fewest_pairs({0.005, 0.002}), 13U);
  EXPECT_LT(fewest_pairs({0.005, 0.05}), 10U);
}

TEST(Comparison, ExpectsAsManyPairsAsDecideAtTheShareSoFar) {
  Comparison comparison({0.005, 0.01});
  for (int i = 0; i < 9; ++i) comparison.add(-0.1);
  EXPECT_TRUE(comparison.agrees());
  EXPECT_EQ(comparison.compared().expected_pairs, 10U);
  comparison.add(0.1);
  EXPECT_FALSE(comparison.agrees());
  EXPECT_EQ(comparison.compared().expected_pairs, 19U);  // 17 of these speak for it
  while (comparison.answer() == Answer::undecided) comparison.add(-0.1);
  EXPECT_EQ(comparison.compared().expected_pairs, 0U);
}

// Half of the pairs say one thing and half another: there is no answer, however many there are.
TEST(Comparison, OfTwoModesOnEitherSideOfTheMarginIsUndecided) {
  Comparison comparison({0.005, 0.01});
  for (int i = 0; i < 4000; ++i) comparison.add(i % 2 == 0 ? 0.0 : 0.02);
  EXPECT_EQ(comparison.answer(), Answer::undecided);
  EXPECT_EQ(comparison.compared().expected_pairs, 0U);
  comparison = Comparison({0.005, 0.01});
  for (int i = 0; i < 100; ++i) comparison.add(std::log1p(0.005));  // a ratio at the margin exactly
  EXPECT_EQ(comparison.answer(), Answer::undecided);
}

TEST(Combine, IsTheMeanOfTheLogRatios) {
  const Compared parts[] = {{Answer::faster, 10, -0.10, Interval{-0.12, -0.08}},
                            {Answer::same, 20, 0.0, Interval{-0.002, 0.004}}};
  const Compared all = combine(parts, 0.005);
  EXPECT_EQ(all.pairs, 30U);
  EXPECT_NEAR(all.log_ratio, -0.05, 1e-12);
  EXPECT_NEAR(all.interval->low, -0.061, 1e-12);
  EXPECT_NEAR(all.interval->high, -0.038, 1e-12);
  EXPECT_EQ(all.answer, Answer::faster);
}

TEST(Combine, IsUndecidedWhereAPartHasNoInterval) {
  const Compared parts[] = {{Answer::faster, 10, -0.10, Interval{-0.12, -0.08}},
                            {Answer::undecided, 3, 0.0, std::nullopt}};
  EXPECT_EQ(combine(parts, 0.005).answer, Answer::undecided);
  EXPECT_FALSE(combine(parts, 0.005).interval);
  EXPECT_EQ(combine({}, 0.005).answer, Answer::undecided);
}

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
  EXPECT_EQ(fewest_successes(9, 0.005), 10U);  // all of 9 are not enough
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
  EXPECT_GT(reached, level * walks / 10);  // a rarer answer would be needlessly slow
}

constexpr Interval steady{1000, 1000};

StoredTime stored_time(double ns, double half, std::optional<Interval> control = steady) {
  const double log_ns = std::log(ns);
  return {{log_ns, Interval{log_ns - half, log_ns + half}}, 60, control};
}

TEST(CompareStored, TellsApartWhatIs) {
  const CompareRule rule{0.03, 0.01};
  const StoredTime a = stored_time(1000, 0.005);
  EXPECT_EQ(compare_stored(a, stored_time(940, 0.005), rule).answer, Answer::faster);
  EXPECT_EQ(compare_stored(a, stored_time(1060, 0.005), rule).answer, Answer::slower);
  EXPECT_EQ(compare_stored(a, stored_time(1000, 0.005), rule).answer, Answer::same);
  EXPECT_EQ(compare_stored(a, stored_time(1000, 0.05), rule).answer, Answer::undecided);
}

TEST(CompareStored, HalfWidthsAddUpAsSquares) {
  const auto interval =
      compare_stored(stored_time(1000, 0.03), stored_time(1000, 0.04), {}).interval;
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, -0.05, 1e-12);
  EXPECT_NEAR(interval->high, 0.05, 1e-12);
}

TEST(CompareStored, IsWiderWhereItMayErrMoreRarely) {
  const StoredTime one = stored_time(1000, 0.01);
  const double usual = compare_stored(one, one, {0.005, 0.01}).interval->high;
  EXPECT_NEAR(compare_stored(one, one, {0.005, 0.05}).interval->high, usual, 1e-12);
  // z of 0.0001 and of 0.01, to both sides: 3.891 and 2.576
  EXPECT_NEAR(compare_stored(one, one, {0.005, 0.0001}).interval->high, usual * 3.891 / 2.576,
              1e-5);
}

// The control took 4 % longer in the second run: then so may the candidate have, for nothing.
TEST(CompareStored, DoesNotTellApartWhatTheMachineMayHaveDone) {
  const StoredTime a = stored_time(1000, 0.005);
  EXPECT_EQ(compare_stored(a, stored_time(1030, 0.005), {}).answer, Answer::slower);
  EXPECT_EQ(compare_stored(a, stored_time(1030, 0.005, Interval{1000, 1040}), {}).answer,
            Answer::undecided);
  EXPECT_EQ(
      compare_stored(stored_time(1000, 0.005, Interval{1040, 1040}), stored_time(1030, 0.005), {})
          .answer,
      Answer::undecided);
}

TEST(CompareStored, SaysNothingWithoutAControl) {
  const Compared compared =
      compare_stored(stored_time(1000, 0.01, std::nullopt), stored_time(2000, 0.01), {});
  EXPECT_EQ(compared.answer, Answer::undecided);
  EXPECT_FALSE(compared.interval);
}

TEST(EstimateOfSamples, IsThatOfOneStart) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> law(0, 0.01);
  std::vector<double> samples;
  for (int i = 0; i < 60; ++i) samples.push_back(1000 * std::exp(law(random)));
  const Estimate estimate = estimate_of_samples(samples);
  EXPECT_NEAR(estimate.value, std::log(1000), 0.005);
  EXPECT_GT(estimate.interval->high - estimate.interval->low, 0.02);  // a percent to either side
  EXPECT_LT(estimate.interval->high - estimate.interval->low, 0.04);
  const Estimate few = estimate_of_samples(std::span(samples).first(3));
  EXPECT_GT(few.interval->high - few.interval->low, 0.1);
}

}  // namespace

}  // namespace kbench
