#include "measure/stored.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kbench {
namespace {

std::vector<double> samples(double ns, std::mt19937_64& random, std::size_t count = 200) {
  std::normal_distribution<double> law(0, 0.005);
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(ns * std::exp(law(random)));
  return out;
}

constexpr Interval steady{1000, 1000};

TEST(CompareStored, TellsApartWhatIs) {
  std::mt19937_64 random(1);
  const auto a = samples(1000, random);
  for (const auto& [ns, answer] :
       {std::pair{940.0, Answer::faster}, {1060.0, Answer::slower}, {1000.0, Answer::same}}) {
    const auto b = samples(ns, random);
    EXPECT_EQ(compare_stored({a, steady}, {b, steady}, {0.03, 0.01}).answer, answer) << ns;
  }
}

// The control took 4 % longer in the second run: then so may the candidate have, for nothing.
TEST(CompareStored, DoesNotTellApartWhatTheMachineMayHaveDone) {
  std::mt19937_64 random(2);
  const auto a = samples(1000, random);
  const auto b = samples(1030, random);
  EXPECT_EQ(compare_stored({a, steady}, {b, steady}, {}).answer, Answer::slower);
  EXPECT_EQ(compare_stored({a, steady}, {b, Interval{1000, 1040}}, {}).answer, Answer::undecided);
  EXPECT_EQ(compare_stored({a, Interval{1040, 1040}}, {b, steady}, {}).answer, Answer::undecided);
}

// The next load could have taken a percent more: what several have shown is known better.
TEST(CompareStored, KnowsWhatLoadsDifferBy) {
  std::mt19937_64 random(6);
  const auto a = samples(100'000, random);
  const auto b = samples(101'000, random);
  const CompareRule rule{0.002, 0.01};
  EXPECT_EQ(compare_stored({a, steady}, {b, steady}, rule).answer, Answer::undecided);
  EXPECT_EQ(compare_stored({a, steady, 0.003}, {b, steady, 0.001}, rule).answer, Answer::slower);
  EXPECT_EQ(compare_stored({a, steady, 0.003}, {b, steady, 0.02}, rule).answer, Answer::undecided);
}

// The null call is known to 2 ns, which is much beside 20.
TEST(CompareStored, KnowsShortCallsLessWell) {
  std::mt19937_64 random(7);
  const auto a = samples(20, random);
  EXPECT_EQ(compare_stored({a, steady}, {samples(21, random), steady}, {}).answer,
            Answer::undecided);
  EXPECT_EQ(compare_stored({a, steady}, {samples(26, random), steady}, {}).answer, Answer::slower);
}

TEST(CompareStored, SaysNothingWithoutAControl) {
  std::mt19937_64 random(3);
  const auto a = samples(1000, random);
  const Compared compared = compare_stored({a, {}}, {a, steady}, {});
  EXPECT_EQ(compared.answer, Answer::undecided);
  EXPECT_FALSE(compared.interval);
}

// A median of 8 has no interval of 99.9 %; that all of them are longer is still no chance.
TEST(CompareStored, TellsFewSamplesApartByTheirRanks) {
  std::mt19937_64 random(8);
  const auto a = samples(1000, random, 60);
  const CompareRule rule{0.005, 0.001};
  EXPECT_EQ(compare_stored({a, steady}, {samples(9000, random, 8), steady}, rule).answer,
            Answer::slower);
  EXPECT_EQ(compare_stored({samples(9000, random, 8), steady}, {a, steady}, rule).answer,
            Answer::faster);
  EXPECT_EQ(compare_stored({a, steady}, {samples(1000, random, 8), steady}, rule).answer,
            Answer::undecided);
}

TEST(CompareStored, SaysNothingOfTooFewSamples) {
  std::mt19937_64 random(4);
  const auto a = samples(1000, random, 5);
  const auto b = samples(2000, random);
  EXPECT_EQ(compare_stored({a, steady}, {b, steady}, {}).answer, Answer::undecided);
  EXPECT_EQ(compare_stored({{}, steady}, {b, steady}, {}).answer, Answer::undecided);
}

TEST(CompareStored, RarelyCallsTheSameDifferent) {
  std::mt19937_64 random(5);
  for (const std::size_t count : {7, 60}) {  // by ranks, by medians
    int different = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto a = samples(1000, random, count);
      const auto b = samples(1000, random, 60);
      const Answer answer = compare_stored({a, steady}, {b, steady}, {0.0001, 0.01}).answer;
      different += answer == Answer::faster || answer == Answer::slower ? 1 : 0;
    }
    EXPECT_LE(different, 10) << count;
  }
}

}  // namespace
}  // namespace kbench
