#include "measure/in_turn.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fake_machine.hpp"
#include "measure/statistics.hpp"

namespace kbench {
namespace {

struct Two {
  FakeMachine machine;
  std::mt19937_64 random{1};
  std::normal_distribution<double> noise{0, 0.01};

  RunEpochs noisy(double ns) {
    return machine.candidate([this, ns] { return ns * std::exp(noise(random)); });
  }
  std::optional<InTurn> take(const RunEpochs& first, const RunEpochs& second,
                             const InTurnRule& rule = {}) {
    return take_in_turn({first}, {second}, rule, random);
  }
};

double ratio_of(const InTurn& taken) {
  return std::exp(time_of_start(taken.second_log_ns).value -
                  time_of_start(taken.first_log_ns).value);
}

TEST(TakeInTurn, MeasuresTheRatio) {
  for (const double other : {300.0, 10'000.0, 50e6}) {
    Two two;
    const auto taken = two.take(two.noisy(2'000), two.noisy(other));
    ASSERT_TRUE(taken);
    EXPECT_NEAR(ratio_of(*taken), other / 2'000, 0.02 * other / 2'000) << other;
    EXPECT_NEAR(median_of(taken->first.samples_ns), 2'000, 20) << other;
    EXPECT_NEAR(median_of(taken->second.samples_ns), other, other * 0.01 + 6) << other;
  }
}

// A machine that becomes slower by a percent each millisecond weighs on both alike.
TEST(TakeInTurn, DriftDoesNotChangeTheRatio) {
  Two two;
  const auto drifting = [&](double ns) {
    return two.machine.candidate([&two, ns] { return ns * (1 + two.machine.now_ns / 100e6); });
  };
  const auto taken = two.take(drifting(4'000), drifting(8'000));
  ASSERT_TRUE(taken);
  EXPECT_NEAR(ratio_of(*taken), 2, 0.02);
  EXPECT_GT(*std::max_element(taken->first.samples_ns.begin(), taken->first.samples_ns.end()),
            1.02 * taken->first.samples_ns.front());
}

TEST(TakeInTurn, LikesHaveAsManyCallsInASample) {
  Two two;
  const auto taken = two.take(two.noisy(3'000), two.noisy(4'000));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->first.pace.calls, taken->second.pace.calls);
}

TEST(TakeInTurn, HoldsAsManyRoundsAsFitIntoTheBudget) {
  std::size_t before = 0;
  for (const double budget_ns : {1e6, 8e6, 15e6, 1e9}) {
    Two two;
    InTurnRule rule;
    rule.budget_ns = budget_ns;
    const auto taken = two.take(two.noisy(2'000), two.noisy(4'000), rule);
    ASSERT_TRUE(taken);
    const std::size_t rounds = taken->first_log_ns.size();
    EXPECT_EQ(taken->second_log_ns.size(), rounds);
    EXPECT_GE(rounds, budget_ns > 1e6 ? before + 1 : rule.fewest) << budget_ns;
    EXPECT_LE(rounds, rule.most);
    before = rounds;
  }
}

// A call gets a ratio, however long it takes.
TEST(TakeInTurn, HoldsTheFewestRoundsOfLongCalls) {
  for (const auto& [ns, rounds] : {std::pair{20e6, 5U}, {40e6, 3U}, {5e9, 3U}}) {
    Two two;
    const auto taken = two.take(two.noisy(ns), two.noisy(ns));
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->first_log_ns.size(), rounds) << ns;
  }
}

TEST(TakeInTurn, KnowsAPaceThatIsGiven) {
  Two two;
  const RunEpochs first = two.noisy(2'000), second = two.noisy(3'000);
  const auto before = two.take(first, second);
  ASSERT_TRUE(before);
  two.machine.asked.clear();
  const auto taken =
      take_in_turn({first, before->first.pace}, {second, before->second.pace}, {}, two.random);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->first.pace.calls, before->first.pace.calls);
  for (const Epochs& epochs : two.machine.asked)
    EXPECT_TRUE(epochs.kind != CallKind::candidate || epochs.calls == before->first.pace.calls);
}

TEST(TakeInTurn, TakesAsManySamplesAsItIsTold) {
  Two two;
  InTurnRule rule;
  rule.exactly = 13;
  rule.warmups = 5;
  const auto taken = two.take(two.noisy(2'000), two.noisy(9'000), rule);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->first.stop, Stop::count);
  EXPECT_EQ(taken->first.samples_ns.size(), 13U);
  EXPECT_EQ(taken->second.samples_ns.size(), 13U);
  EXPECT_EQ(taken->first_log_ns.size(), 13U);
}

TEST(TakeInTurn, FailsWithWhoeverFails) {
  for (const bool first_fails : {false, true}) {
    Two two;
    int calls = 0;
    const RunEpochs failing = two.machine.candidate([&]() -> std::optional<double> {
      return ++calls > 500 ? std::nullopt : std::optional(2'000.0);
    });
    const RunEpochs good = two.noisy(2'000);
    EXPECT_FALSE(first_fails ? two.take(failing, good) : two.take(good, failing));
  }
}

// A call that was slow while its pace was found: pairs are of the same number of calls.
TEST(TakeInTurn, BeginsAnewWhereOneBecomesFaster) {
  Two two;
  int calls = 0;
  const RunEpochs late = two.machine.candidate([&] { return ++calls < 40 ? 20'000.0 : 400.0; });
  const auto taken = two.take(late, two.noisy(4'000));
  ASSERT_TRUE(taken);
  EXPECT_NEAR(ratio_of(*taken), 10, 0.5);
}

// Preemption makes single turns many times as long: the ratio is that of the others.
TEST(TakeInTurn, TurnsThatWereDisturbedDoNotDecide) {
  Two two;
  std::bernoulli_distribution comes(0.002);  // preempts one turn of two
  const auto preempted = [&](double ns) {
    return two.machine.candidate([&two, &comes, ns] {
      return ns * std::exp(two.noise(two.random)) + (comes(two.random) ? 4e6 : 0);
    });
  };
  const auto taken = two.take(preempted(2'000), preempted(4'000));
  ASSERT_TRUE(taken);
  EXPECT_NEAR(ratio_of(*taken), 2, 0.04);
}

}  // namespace
}  // namespace kbench
