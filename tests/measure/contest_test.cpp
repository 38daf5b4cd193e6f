#include "measure/contest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "fake_machine.hpp"

namespace kbench {
namespace {

// Loads that are all alike.
LoadAll always(const std::vector<RunEpochs>& runs) {
  return [&runs](const Contest&) { return runs; };
}

// Candidates that take `ns` with 1 % of noise.
struct Field {
  FakeMachine machine;
  std::mt19937_64 random{1};
  std::normal_distribution<double> noise{0, 0.01};
  std::vector<RunEpochs> runs;

  void add(double ns) {
    runs.push_back(machine.candidate([this, ns] { return ns * std::exp(noise(random)); }));
  }
  std::optional<Contested> run(const ContestRule& rule = {}) {
    return contest(runs.size(), always(runs), rule, machine.clock(), random);
  }
};

TEST(Contest, SaysWhichOfTwoIsFaster) {
  for (const auto& [b, answer] :
       {std::pair{9'800.0, Answer::faster}, {10'200.0, Answer::slower}, {10'000.0, Answer::same}}) {
    Field field;
    field.add(10'000);
    field.add(b);
    const auto contested = field.run();
    ASSERT_TRUE(contested);
    const Compared compared = contested->contest.compare(0, 1);
    EXPECT_EQ(compared.answer, answer) << b;
    EXPECT_NEAR(compared.log_ratio, std::log(b / 10'000), 0.004);
    EXPECT_FALSE(contested->is_budget_spent);
    EXPECT_EQ(contested->taken[0].samples_ns.size(), 12 * compared.pairs);
    const Compared back = contested->contest.compare(1, 0);  // turns it round
    EXPECT_EQ(back.answer == Answer::faster, answer == Answer::slower);
    EXPECT_EQ(back.log_ratio, -compared.log_ratio);
    EXPECT_EQ(back.interval->low, -compared.interval->high);
  }
}

// A slow one's turn takes the caches from the others: that is no time of theirs.
TEST(Contest, WarmsUpWhoHasWaitedForASlowOne) {
  Field field;
  double last_ns = 0;
  int cold_calls = 0;
  field.runs.push_back(field.machine.candidate([&]() -> double {
    if (field.machine.now_ns - last_ns > 1e6) cold_calls = 10;
    last_ns = field.machine.now_ns;
    return cold_calls-- > 0 ? 50'000 : 5'000;
  }));
  field.add(10'000);
  field.add(20e6);
  ContestRule rule;
  rule.budget_ns = 60e9;
  const auto contested = field.run(rule);
  ASSERT_TRUE(contested);
  EXPECT_EQ(contested->contest.compare(1, 0).answer, Answer::faster);
  EXPECT_TRUE(contested->contest.is_out(1));
  EXPECT_TRUE(contested->contest.is_out(2));
}

TEST(Contest, TakesOutClearLosersEarly) {
  Field field;
  for (const double ns : {20'000.0, 10'000.0, 10'080.0, 40'000.0}) field.add(ns);
  const auto contested = field.run();
  ASSERT_TRUE(contested);
  const Contest& contest = contested->contest;
  EXPECT_TRUE(contest.is_out(0));
  EXPECT_FALSE(contest.is_out(1));
  EXPECT_TRUE(contest.is_out(2));
  EXPECT_TRUE(contest.is_out(3));
  EXPECT_LT(contested->taken[0].samples_ns.size(), contested->taken[2].samples_ns.size());
  EXPECT_EQ(contested->contest.compare(2, 1).answer, Answer::faster);
}

TEST(Contest, StopsWhereTheBestAreTheSame) {
  Field field;
  for (int i = 0; i < 3; ++i) field.add(10'000);
  const auto contested = field.run();
  ASSERT_TRUE(contested);
  EXPECT_FALSE(contested->is_budget_spent);
  EXPECT_EQ(contested->contest.compare(0, 2).answer, Answer::same);
}

TEST(Contest, OnTheMarginStaysUndecidedWhenTheBudgetIsSpent) {
  Field field;
  field.add(10'000);
  field.add(10'050);
  ContestRule rule;
  rule.budget_ns = 30e6;
  const auto contested = field.run(rule);
  ASSERT_TRUE(contested);
  EXPECT_TRUE(contested->is_budget_spent);
  EXPECT_EQ(contested->contest.compare(0, 1).answer, Answer::undecided);
  EXPECT_EQ(contested->taken[0].stop, Stop::budget);
}

TEST(Contest, WhatASlowOneTookIsNotSpentByThoseThatAreLeft) {
  Field field;
  for (const double ns : {6e6, 200'000.0, 197'800.0}) field.add(ns);
  ContestRule rule;
  rule.budget_ns = 200e6;  // the slow one takes more before it is out
  const auto contested = field.run(rule);
  ASSERT_TRUE(contested);
  EXPECT_TRUE(contested->contest.is_out(0));
  EXPECT_EQ(contested->contest.compare(1, 2).answer, Answer::faster);
  EXPECT_GT(contested->taken[0].samples_ns.size() * 6e6, rule.budget_ns);
}

TEST(Contest, HoldsAsManyMeetingsAsAnAnswerNeedsWhateverTheBudget) {
  for (const auto& [budget_ns, answer] :
       {std::pair{5e6, Answer::faster}, {1.2e6, Answer::faster}, {1e5, Answer::undecided}}) {
    Field field;
    field.add(100'000);
    field.add(50'000);
    ContestRule rule;
    rule.budget_ns = budget_ns;
    const auto contested = field.run(rule);
    ASSERT_TRUE(contested);
    EXPECT_EQ(contested->contest.compare(0, 1).answer, answer) << budget_ns;
  }
}

TEST(Contest, GoesOnBeyondTenBudgetsWhereAllMeetingsAgreeAndAHundredWillDo) {
  EXPECT_FALSE(is_spent(0.9, 20, 10, false));
  EXPECT_TRUE(is_spent(1, 10, 10, true));
  EXPECT_FALSE(is_spent(9.9, 3, 10, false));
  EXPECT_TRUE(is_spent(10, 3, 10, false));
  EXPECT_FALSE(is_spent(10, 1, 10, true));
  EXPECT_TRUE(is_spent(92, 9, 10, true));
  Contest contest(2, {});
  for (const double ratio : {0.1, 0.2, 0.1, 0.0}) {
    contest.add(0, 1, ratio);
    EXPECT_EQ(contest.agrees(), ratio > 0);
  }
}

TEST(Contest, GivesCallsThatTakeAlikeTheSameNumber) {
  Field field;
  field.add(10'000);
  field.add(13'000);
  field.add(90'000);
  const auto contested = field.run();
  ASSERT_TRUE(contested);
  const auto& c = contested->taken;
  EXPECT_EQ(c[0].pace.calls, c[1].pace.calls);
  EXPECT_LT(c[2].pace.calls, c[0].pace.calls);
}

// A meeting is an order and its reverse, and the orders of meetings differ.
TEST(Contest, GoesForthAndBack) {
  FakeMachine machine;
  std::string order;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  std::vector<RunEpochs> runs;
  for (const char name : {'A', 'B'}) {
    const RunEpochs run = machine.candidate([&] { return 100'000 * std::exp(noise(random)); });
    runs.push_back([&, name, run](const Epochs& epochs) {
      if (epochs.samples > 1 && epochs.kind == CallKind::candidate) order += name;
      return run(epochs);
    });
  }
  ASSERT_TRUE(contest(2, always(runs), {}, machine.clock(), random));
  ASSERT_GE(order.size(), 80U);
  int forth = 0;
  for (std::size_t i = 0; i + 4 <= order.size(); i += 4) {
    const std::string block = order.substr(i, 4);
    EXPECT_TRUE(block == "ABBA" || block == "BAAB") << block;
    forth += block == "ABBA" ? 1 : 0;
  }
  EXPECT_GT(forth, 0);
  EXPECT_LT(forth, static_cast<int>(order.size() / 4));
}

// Counts trials in which two that are the same are called different. `make_load` is asked in each.
using MakeLoad = std::function<LoadAll(FakeMachine& machine, std::mt19937_64& random)>;
int called_different(int trials, double budget_ns, const MakeLoad& make_load) {
  int different = 0;
  for (int trial = 0; trial < trials; ++trial) {
    FakeMachine machine;
    std::mt19937_64 random(static_cast<std::uint64_t>(trial));
    ContestRule rule;
    rule.budget_ns = budget_ns;
    const LoadAll load = make_load(machine, random);
    const auto contested = contest(2, load, rule, machine.clock(), random);
    EXPECT_TRUE(contested);
    if (!contested) continue;
    const Answer answer = contested->contest.compare(0, 1).answer;
    different += answer == Answer::faster || answer == Answer::slower ? 1 : 0;
  }
  return different;
}

// Memory's place makes half of the loads 2 % slower, each for as long as it is loaded.
TEST(Contest, IsNotMisledByWhereThingsLie) {
  std::normal_distribution<double> noise;
  const MakeLoad make_load = [&noise](FakeMachine& machine, std::mt19937_64& random) -> LoadAll {
    noise = std::normal_distribution<double>(0, 0.002);  // each trial begins alike
    return [&](const Contest&) -> std::optional<std::vector<RunEpochs>> {
      std::vector<RunEpochs> runs;
      for (int i = 0; i < 2; ++i) {
        const double ns = random() % 2 == 0 ? 10'000 : 10'200;
        runs.push_back(machine.candidate([&, ns] { return ns * std::exp(noise(random)); }));
      }
      return runs;
    };
  };
  EXPECT_LE(called_different(100, 200e6, make_load), 1);
}

// Each long call finds in the caches what the one before left: its own is worth 4 %. The loss
// weighs on both alike.
TEST(Contest, IsNotMisledByWhoHadTheCaches) {
  std::normal_distribution<double> noise;
  int last = -1;
  const MakeLoad make_load = [&](FakeMachine& machine, std::mt19937_64& random) -> LoadAll {
    noise = std::normal_distribution<double>(0, 0.02);
    std::vector<RunEpochs> runs;
    for (const int name : {0, 1}) {
      runs.push_back(machine.candidate([&, name] {
        return (std::exchange(last, name) == name ? 4'800'000 : 5'000'000) *
               std::exp(noise(random));
      }));
    }
    return [&last, runs](const Contest&) {
      last = -1;
      return runs;
    };
  };
  EXPECT_LE(called_different(200, 10e9, make_load), 2);
}

// Null calls take another time for each load, and it is known for each.
TEST(Contest, IsNotMisledByTheNullCall) {
  std::uniform_real_distribution<double> null(12, 16);
  std::uniform_real_distribution<double> unlike(-0.5, 0.5);  // a null call is not quite the same
  const MakeLoad make_load = [&](FakeMachine& machine, std::mt19937_64& random) -> LoadAll {
    return [&](const Contest&) -> std::optional<std::vector<RunEpochs>> {
      std::vector<RunEpochs> runs;
      for (int i = 0; i < 2; ++i) {
        const double null_ns = null(random);
        const double ns = 13 + unlike(random);
        const RunEpochs run = machine.candidate([ns] { return ns; });
        runs.push_back([&machine, run, null_ns](const Epochs& epochs) {
          machine.null_ns = null_ns;
          return run(epochs);
        });
      }
      return runs;
    };
  };
  EXPECT_LE(called_different(200, 50e6, make_load), 4);
}

// The first calls of all are much slower: later ones would be timed in samples of two calls.
TEST(Contest, FillsItsSamplesWhereTheFirstCallsWereSlow) {
  Field field;
  field.add(100);
  int calls = 0;
  field.runs.push_back(
      field.machine.candidate([&calls] { return ++calls <= 10 ? 20'000.0 : 100.0; }));
  const auto contested = field.run();
  ASSERT_TRUE(contested);
  EXPECT_EQ(contested->taken[0].pace.calls, contested->taken[1].pace.calls);
  EXPECT_GT(contested->taken[1].pace.calls, 50U);
  EXPECT_NEAR(contested->contest.compare(0, 1).log_ratio, 0, 0.02);
}

// Every 20th call does what the others have put off: all together they take as long as the other's.
TEST(Contest, CountsWhatACandidatePutsOff) {
  Field field;
  field.add(2'000);
  int calls = 0;
  field.runs.push_back(
      field.machine.candidate([&calls] { return ++calls % 20 == 0 ? 21'000.0 : 1'000.0; }));
  ContestRule rule;
  rule.budget_ns = 300e6;
  const auto contested = field.run(rule);
  ASSERT_TRUE(contested);
  EXPECT_NEAR(contested->contest.compare(0, 1).log_ratio, 0, 0.15);
}

TEST(Contest, IsNoneWhereALoadFails) {
  Field field;
  field.add(10'000);
  field.add(10'000);
  int loads = 0;
  const LoadAll failing = [&](const Contest&) {
    return ++loads < 4 ? std::optional(field.runs) : std::nullopt;
  };
  EXPECT_FALSE(contest(2, failing, {}, field.machine.clock(), field.random));
  EXPECT_EQ(loads, 4);
}

TEST(Contest, IsNoneWhereACallFails) {
  Field field;
  field.add(10'000);
  int calls = 0;
  field.runs.push_back(field.machine.candidate(
      [&] { return ++calls < 100 ? std::optional(10'000.0) : std::nullopt; }));
  EXPECT_FALSE(field.run());
}

// The error is that of the whole contest: five that are the same are rarely called different.
TEST(Contest, SharesItsErrorAmongThePairs) {
  int wrong = 0;
  std::mt19937_64 random(9);
  std::normal_distribution<double> noise(0, 0.01);
  for (int trial = 0; trial < 200; ++trial) {
    Contest contest(5, {0.005, 0.05});
    for (int meeting = 0; meeting < 300 && !contest.settle(); ++meeting) {
      std::vector<double> times(5);
      for (double& time : times) time = noise(random);
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = i + 1; j < 5; ++j)
          if (!contest.is_out(i) && !contest.is_out(j)) contest.add(i, j, times[j] - times[i]);
      }
    }
    for (std::size_t i = 0; i < 5; ++i) wrong += contest.is_out(i) ? 1 : 0;
  }
  EXPECT_LE(wrong, 10);
}

}  // namespace
}  // namespace kbench
