// Simulated races: what is called, and who wins, on a quiet machine and beside others.
#include "tune/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kbench {
namespace {

struct Machine {
  double jitter = 0.002;  // every call is longer by up to this share
  double disturbed = 0;   // share of calls that others on it make longer
  double at_most = 3;     // factor by which they do so at most
  double first = 1.1;     // factor at most by which the first call of a load is longer
};

struct RaceOutcome {
  std::size_t winner = 0;
  std::size_t calls = 0;  // the first one of each included
  bool kept_best = false;
};

RaceOutcome race(const std::vector<double>& truth, const Machine& machine, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto sample = [&](double true_time) {
    double time = true_time * (1 + machine.jitter * unit(random));
    if (unit(random) < machine.disturbed) time *= 1 + (machine.at_most - 1) * unit(random);
    return time;
  };
  Race race{RaceRule{}};
  RaceOutcome outcome;
  const auto load = [&](std::size_t i) {
    race.take_first(i, sample(truth[i]) * (1 + (machine.first - 1) * unit(random)));
    ++outcome.calls;
  };
  for (std::size_t i = 0; i < truth.size(); ++i) load(race.add());
  for (auto next = race.next(); !next.empty(); next = race.next()) {
    for (const std::size_t i : next) {
      race.settle(i);
      if (!race.is_in(i)) continue;
      if (race.samples(i).size() >= 2) load(i);
      race.take(i, sample(truth[i]));
      ++outcome.calls;
    }
    race.settle();
  }
  const auto in = race.remaining();
  outcome.winner = *std::min_element(in.begin(), in.end(), [&](std::size_t a, std::size_t b) {
    return *race.shortest(a) < *race.shortest(b);
  });
  const auto best =
      static_cast<std::size_t>(std::min_element(truth.begin(), truth.end()) - truth.begin());
  outcome.kept_best = race.is_in(best);
  return outcome;
}

std::vector<double> spread_out(std::size_t count, std::uint64_t seed) {
  std::vector<double> truth(count);
  for (std::size_t i = 0; i < count; ++i) truth[i] = 1 + 0.06 * static_cast<double>(i);
  std::shuffle(truth.begin(), truth.end(), std::mt19937_64(seed));
  return truth;
}

// Kernel Tuner makes eight calls of each.
TEST(Race, OnAQuietMachineAThirdOfEightCallsIsEnough) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto truth = spread_out(32, seed);
    const RaceOutcome outcome = race(truth, {}, seed);
    EXPECT_DOUBLE_EQ(truth[outcome.winner], 1.0) << seed;
    EXPECT_LE(outcome.calls, 32 * 8 / 3) << seed;
  }
}

TEST(Race, BesideOthersTheBestStaysIn) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto truth = spread_out(32, seed);
    const RaceOutcome outcome = race(truth, {0.002, 0.5, 3}, seed);
    if (truth[outcome.winner] > 1.005) ++wrong;
  }
  EXPECT_LE(wrong, 2);
}

TEST(Race, EqualsAreNotToldApart) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    lost += race({1.0, 1.003, 1.004, 2.0}, {0.004, 0.1, 2}, seed).kept_best ? 0 : 1;
  EXPECT_LE(lost, 2);
}

TEST(Race, OneThatFailedIsNotCalledAgain) {
  Race race{RaceRule{}};
  race.add();
  race.add();
  race.take(0, 1);
  race.drop(0);
  EXPECT_EQ(race.next(), std::vector<std::size_t>{1});
  EXPECT_FALSE(race.shortest(0));
  race.take(1, 5);
  race.settle();
  EXPECT_TRUE(race.next().empty());
  EXPECT_EQ(race.remaining(), std::vector<std::size_t>{1});
}

// First calls take longer than others, which must not count as a disturbance of these.
TEST(Race, FirstCallsAreMeasuredByThemselves) {
  Race race{RaceRule{}};
  for (std::size_t i = 0; i < 8; ++i) {
    race.add();
    race.take_first(i, 10);
    for (int k = 0; k < 3; ++k) race.take(i, i == 7 ? 1.2 : 1);
  }
  race.settle();
  EXPECT_FALSE(race.is_in(7));
  EXPECT_EQ(race.remaining().size(), 7U);
}

TEST(Race, WhoIsNearTheBestByOneLoadIsLoadedAgain) {
  Race race{RaceRule{}};
  for (std::size_t i = 0; i < 2; ++i) {
    race.add();
    race.take_first(i, 1);
    for (int k = 0; k < 11; ++k) race.take(i, i == 0 ? 0.9 : 0.92);
  }
  race.settle();
  EXPECT_TRUE(race.is_in(1));
  race.take_first(1, 1);
  race.settle();
  EXPECT_FALSE(race.is_in(1));
}

TEST(Race, ItIsOverWhenFewAreLeft) {
  RaceRule rule;
  rule.enough = 2;
  Race race{rule};
  for (std::size_t i = 0; i < 2; ++i) race.take(race.add(), 1);
  EXPECT_TRUE(race.next().empty());
  race.add();
  EXPECT_EQ(race.next(), std::vector<std::size_t>{2});
}

TEST(Race, ReadmittedAreAllButThoseThatFailed) {
  Race race{RaceRule{}};
  for (std::size_t i = 0; i < 3; ++i) {
    race.add();
    for (int k = 0; k < 8; ++k) race.take(i, 1.0 + static_cast<double>(i));
  }
  race.drop(0);
  race.settle();
  EXPECT_EQ(race.remaining(), std::vector<std::size_t>{1});
  race.readmit();
  EXPECT_EQ(race.remaining(), (std::vector<std::size_t>{1, 2}));
}

TEST(Race, WhoWasBeatenByOneThatFailedIsInAgain) {
  Race race{RaceRule{}};
  for (const double time : {0.01, 1.0, 1.001, 9.0}) {
    const std::size_t i = race.add();
    for (int k = 0; k < 8; ++k) race.take(i, time);
  }
  race.settle();
  ASSERT_EQ(race.remaining(), std::vector<std::size_t>{0});
  race.drop(0);
  EXPECT_EQ(race.remaining(), (std::vector<std::size_t>{1, 2}));
}

TEST(Race, WithoutContestantsItIsOver) { EXPECT_TRUE(Race{RaceRule{}}.next().empty()); }

// Adds meetings of two that all end so: enough of them decide.
void meet(Contest& contest, std::size_t first, std::size_t second, double log_ratio) {
  for (int i = 0; i < 40; ++i) contest.add(first, second, log_ratio);
}

// Adds as many that contradict each other.
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
  contest.settle();  // the first is out: the third does not meet it any more
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
