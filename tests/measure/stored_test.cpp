#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "measure/comparison.hpp"

namespace kbench {
namespace {

constexpr Interval steady{1000, 1000};

StoredTime stored_time(double ns, double half, std::optional<Interval> control = steady) {
  const double log_ns = std::log(ns);
  return {{log_ns, {log_ns - half, log_ns + half}}, 60, control};
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
  const LogEstimate estimate = estimate_of_samples(samples);
  EXPECT_NEAR(estimate.value, std::log(1000), 0.005);
  EXPECT_GT(estimate.interval.high - estimate.interval.low, 0.02);  // a percent to either side
  EXPECT_LT(estimate.interval.high - estimate.interval.low, 0.04);
  const LogEstimate few = estimate_of_samples(std::span(samples).first(3));
  EXPECT_GT(few.interval.high - few.interval.low, 0.1);
}

}  // namespace
}  // namespace kbench
