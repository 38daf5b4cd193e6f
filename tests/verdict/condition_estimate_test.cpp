#include "verdict/condition_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kbench {
namespace {

TEST(Gammas, HaveTheirKnownValues) {
  constexpr double euler = 0.57721566490153286, pi = 3.14159265358979324;
  EXPECT_NEAR(digamma(1), -euler, 1e-10);
  EXPECT_NEAR(digamma(0.5), -euler - 2 * std::log(2.0), 1e-10);
  EXPECT_NEAR(digamma(100), 4.6001618527380874, 1e-10);
  EXPECT_NEAR(trigamma(1), pi * pi / 6, 1e-10);
  EXPECT_NEAR(trigamma(0.5), pi * pi / 2, 1e-10);
  for (const double x : {1e-4, 0.01, 0.5, 1.0, 3.0, 24.0, 1e4})
    EXPECT_NEAR(inverse_trigamma(trigamma(x)) / x, 1, 1e-6) << x;
}

// Student's t at the probability 9.87e-10, divided by 6: integrated numerically.
TEST(Gammas, StudentNeedsAWiderLimit) {
  const std::pair<double, double> known[] = {{4, 39.137},  {6, 9.488},   {8, 4.890},
                                             {12, 2.652},  {16, 2.0058}, {24, 1.5507},
                                             {48, 1.2289}, {128, 1.0770}};
  for (const auto& [freedom, widening] : known)
    EXPECT_NEAR(student_widening(freedom) / widening, 1, 0.02) << freedom;
  EXPECT_NEAR(student_widening(1e6), 1, 1e-4);
}

// Returns condition estimates of `runs` runs of elements whose true ones are given.
std::vector<double> measured(const std::vector<double>& truth, int runs, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> out;
  for (const double t : truth) {
    double squares = 0;
    for (int k = 0; k < runs; ++k) squares += std::pow(normal(engine), 2);
    out.push_back(t * std::sqrt(squares / runs));
  }
  return out;
}

TEST(ModeratedCondition, ElementsThatAreAlikeShareOneCondition) {
  const std::vector<double> condition = measured(std::vector<double>(20000, 3.0), 4, 1);
  const ModeratedCondition moderated(condition, 4, 1000);
  EXPECT_LT(*std::min_element(condition.begin(), condition.end()), 0.5);
  for (std::size_t i = 0; i < condition.size(); ++i) {
    EXPECT_GT(moderated.wide(i), 2.4) << i;
    EXPECT_LT(moderated.wide(i), 6) << i;
  }
}

// An error that is normal with the true condition estimate's size stays below 6, whatever the
// elements.
TEST(ModeratedCondition, NoHonestErrorLooksLarge) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  for (const int runs : {4, 6, 12, 48}) {
    std::vector<double> truth;
    for (int i = 0; i < 200000; ++i) truth.push_back(std::fabs(normal(engine)));
    const std::vector<double> condition = measured(truth, runs, 11);
    const ModeratedCondition moderated(condition, runs, 500);
    double worst = 0, plain = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double error = std::fabs(truth[i] * normal(engine));
      worst = std::max(worst, error / moderated.wide(i));
      plain = std::max(plain, error / condition[i]);
    }
    EXPECT_LT(worst, 6) << runs;
    if (runs == 4) {
      EXPECT_GT(plain, 6);
    }
  }
}

// Squares are right on average, however few runs, and however unlike the elements.
TEST(ModeratedCondition, ErrorsTogetherLookAsLargeAsTheyAre) {
  std::mt19937_64 engine(8);
  std::normal_distribution<double> normal;
  for (const int runs : {4, 6, 12, 48}) {
    std::vector<double> truth;
    for (int i = 0; i < 200000; ++i) truth.push_back(std::exp(0.5 * normal(engine)));
    const std::vector<double> condition = measured(truth, runs, 12);
    const ModeratedCondition moderated(condition, runs, 500);
    double squares = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double ratio = truth[i] * normal(engine) / moderated.typical(i);
      squares += ratio * ratio;
    }
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(truth.size())), 1, 0.1) << runs;
  }
}

TEST(ModeratedCondition, RowsOfOtherSizeAreNotMixed) {
  std::vector<double> truth(128 * 64, 1.0);
  std::fill(truth.begin() + 64 * 64, truth.end(), 1e6);
  const std::vector<double> condition = measured(truth, 6, 3);
  const ModeratedCondition moderated(condition, 6, 64);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_GT(moderated.wide(i) / truth[i], 0.5) << i;
    EXPECT_LT(moderated.wide(i) / truth[i], 6) << i;
  }
}

TEST(ModeratedCondition, WhereNoInputMattersItIsZero) {
  std::vector<double> condition(1000, 1.0);
  condition[17] = 0;
  EXPECT_EQ(ModeratedCondition(condition, 6, 100).wide(17), 0);
  EXPECT_EQ(ModeratedCondition(condition, 0, 100).wide(3), 0);  // no run was perturbed
  EXPECT_GT(ModeratedCondition(std::vector<double>{2.0}, 4, 1).wide(0), 2);
}

}  // namespace
}  // namespace kbench
