#include <gtest/gtest.h>

#include "tune/race.hpp"

namespace kbench {
namespace {

// Meetings of two that all end so: enough of them decide.
void meet(Contest& contest, std::size_t first, std::size_t second, double log_ratio) {
  for (int i = 0; i < 40; ++i) contest.add(first, second, log_ratio);
}

// As many that contradict each other.
void disagree(Contest& contest, std::size_t first, std::size_t second) {
  for (int i = 0; i < 40; ++i) contest.add(first, second, i % 2 == 0 ? 0.7 : -0.7);
}

constexpr double half = -0.7;  // the second takes half of the first one's time

TEST(Podium, TheHeuristicStaysUnlessItIsOut) {
  Contest contest(2, {});
  disagree(contest, 0, 1);
  contest.settle();
  const double shortest[] = {100, 50};
  EXPECT_EQ(winner_of(contest, shortest, 0), 0U);
  EXPECT_EQ(winner_of(contest, shortest, std::nullopt), 1U);
}

TEST(Podium, NobodyWinsThatIsNotSurelyFaster) {
  Contest contest(3, {});
  meet(contest, 0, 1, half);
  disagree(contest, 0, 2);
  disagree(contest, 1, 2);
  contest.settle();
  ASSERT_TRUE(contest.is_out(0));
  const double shortest[] = {100, 50, 20};  // a lucky sample
  EXPECT_EQ(winner_of(contest, shortest, 0), 1U);
}

TEST(Podium, OfThoseThatAreTheShortestSampleCounts) {
  Contest contest(3, {});
  meet(contest, 0, 1, half);
  meet(contest, 0, 2, half);
  disagree(contest, 1, 2);
  contest.settle();
  const double shortest[] = {100, 50, 49};
  EXPECT_EQ(winner_of(contest, shortest, 0), 2U);
}

TEST(Podium, WhoIsAheadOfTheFasterOneIsFaster) {
  Contest contest(4, {});
  meet(contest, 0, 1, half);
  contest.settle();  // out: the third does not meet it any more
  meet(contest, 1, 2, half);
  disagree(contest, 1, 3);
  disagree(contest, 2, 3);
  contest.settle();
  ASSERT_TRUE(contest.is_out(0) && contest.is_out(1));
  const double shortest[] = {100, 50, 25, 10};
  EXPECT_EQ(winner_of(contest, shortest, 0), 2U);
}

}  // namespace
}  // namespace kbench
