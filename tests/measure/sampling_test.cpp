#include "measure/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fake_machine.hpp"
#include "measure/statistics.hpp"

namespace kbench {
namespace {

RunEpochs constant(FakeMachine& machine, double ns) {
  return machine.candidate([ns] { return ns; });
}

TEST(FindPace, FillsAnEpoch) {
  for (const double ns : {3.0, 40.0, 900.0, 17'000.0, 150'000.0}) {
    FakeMachine machine;
    const auto pace = find_pace(constant(machine, ns), {});
    ASSERT_TRUE(pace);
    const double epoch = static_cast<double>(pace->calls) * (ns + machine.null_ns);
    const double wanted = PaceRule{}.epoch_ns;
    EXPECT_GE(epoch, wanted * 0.99) << ns;
    EXPECT_LE(epoch, wanted * 1.3 + ns + machine.null_ns) << ns;
  }
}

TEST(FindPace, CallsALongOneOnce) {
  FakeMachine machine;
  const auto pace = find_pace(constant(machine, 30e6), {});
  ASSERT_TRUE(pace);
  EXPECT_EQ(pace->calls, 1U);
  EXPECT_LE(machine.asked.size(), 2U);
}

// A lazy first call must not be taken for the kernel.
TEST(FindPace, LooksAgainAfterASlowFirstCall) {
  FakeMachine machine;
  int calls = 0;
  const auto pace = find_pace(machine.candidate([&] { return ++calls == 1 ? 5e6 : 2'000.0; }), {});
  ASSERT_TRUE(pace);
  EXPECT_NEAR(static_cast<double>(pace->calls), 25, 8);
}

TEST(FindPace, EndsWithACandidateThatTakesNoTime) {
  FakeMachine machine;
  machine.null_ns = 0;
  machine.clock_read_ns = 0;
  const auto pace = find_pace(constant(machine, 0), {});
  ASSERT_TRUE(pace);
  EXPECT_LE(pace->calls, 1'000'000U);
}

TEST(FindPace, OfColdCallsIsOne) {
  FakeMachine machine;
  PaceRule rule;
  rule.cold = true;
  EXPECT_EQ(find_pace(constant(machine, 100), rule)->calls, 1U);
  EXPECT_EQ(machine.asked.front().cold, 1U);
}

// The wait for the core may take a multiple of what is asked for.
TEST(TakeSamples, AsksForNoMoreThanTheBudgetHasRoomFor) {
  FakeMachine machine;
  SamplingRule rule;
  rule.budget_ns = 1e6;
  ASSERT_TRUE(take_samples(constant(machine, 100), rule, machine.clock()));
  for (const Epochs& asked : machine.asked) {
    if (asked.kind == CallKind::candidate) {
      EXPECT_LE(asked.samples, 20U);
    }
  }
}

// A call whose clock says nothing takes its time all the same: a turn of 64 million has no end.
TEST(TakeSamples, AsksForFewMillionCallsAtATime) {
  FakeMachine machine;
  machine.null_ns = machine.clock_read_ns = 0;
  ASSERT_TRUE(take_samples(constant(machine, 0.001), {}, machine.clock()));
  for (const Epochs& asked : machine.asked) EXPECT_LE(asked.samples * asked.calls, 4'000'000U);
}

TEST(TakeSamples, SubtractsWhatACallTakesByItself) {
  FakeMachine machine;
  const auto sampled = take_samples(constant(machine, 7), {}, machine.clock());
  ASSERT_TRUE(sampled);
  EXPECT_NEAR(sampled->null_ns, 5, 0.02);
  EXPECT_NEAR(median_of(sampled->samples_ns), 7, 0.02);
}

TEST(TakeSamples, StopsWhenTheIntervalIsNarrow) {
  FakeMachine machine;
  const auto sampled = take_samples(constant(machine, 2'000), {}, machine.clock());
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->stop, Stop::width);
  EXPECT_EQ(sampled->samples_ns.size(), SamplingRule{}.least);
}

TEST(TakeSamples, StopsWhenTheBudgetIsSpent) {
  FakeMachine machine;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> law(1e5, 9e5);
  SamplingRule rule;
  rule.budget_ns = 60e6;
  const double begin = machine.now_ns;
  const auto sampled =
      take_samples(machine.candidate([&] { return law(random); }), rule, machine.clock());
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->stop, Stop::budget);
  EXPECT_GE(sampled->samples_ns.size(), 50U);
  EXPECT_LE(machine.now_ns - begin, 80e6);
}

TEST(TakeSamples, OfLongCallsAreSevenAndOfVeryLongOnesThree) {
  for (const auto& [call, count] : {std::pair{15e6, 7U}, {150e6, 3U}}) {
    FakeMachine machine;
    const auto sampled = take_samples(constant(machine, call), {}, machine.clock());
    ASSERT_TRUE(sampled);
    EXPECT_EQ(sampled->samples_ns.size(), count);
    EXPECT_EQ(sampled->stop, Stop::budget);
  }
}

TEST(TakeSamples, AreExactlyAsManyAsWereAskedFor) {
  FakeMachine machine;
  SamplingRule rule;
  rule.exactly = 333;
  rule.warmups = 4;
  const auto sampled = take_samples(constant(machine, 40'000), rule, machine.clock());
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->samples_ns.size(), 333U);
  EXPECT_EQ(sampled->stop, Stop::count);
}

// The candidate was slow while the number of calls was found: samples of few calls would carry the
// clock's cost.
TEST(TakeSamples, RaiseTheCallsOfACandidateThatIsFasterThanItWas) {
  FakeMachine machine;
  int calls = 0;
  const auto sampled = take_samples(
      machine.candidate([&] { return ++calls <= 4 ? 400'000.0 : 1'100.0; }), {}, machine.clock());
  ASSERT_TRUE(sampled);
  EXPECT_GE(static_cast<double>(sampled->pace.calls) * 1'100, PaceRule{}.epoch_ns / 2);
  EXPECT_NEAR(median_of(sampled->samples_ns), 1'100, 2);
}

TEST(TakeSamples, AreNeverNegative) {
  FakeMachine machine;
  machine.clock_read_ns = 0;
  const auto sampled = take_samples(constant(machine, 0), {}, machine.clock());
  ASSERT_TRUE(sampled);
  for (const double ns : sampled->samples_ns) EXPECT_GT(ns, 0);
}

TEST(TakeSamples, LookAtTheControlBeforeAndAfter) {
  FakeMachine machine;
  const auto run = constant(machine, 2'000);
  const RunEpochs drifting = [&](const Epochs& epochs) {
    machine.control_ns += epochs.kind == CallKind::candidate ? 10 : 0;
    return run(epochs);
  };
  const auto sampled = take_samples(drifting, {}, machine.clock());
  ASSERT_TRUE(sampled);
  ASSERT_EQ(sampled->control_ns.size(), 2U);
  EXPECT_GT(sampled->control_ns[1], sampled->control_ns[0]);
  EXPECT_EQ(machine.asked.back().kind, CallKind::control);
}

TEST(TakeSamples, AreNoneWhereACallFails) {
  for (const int good : {0, 1, 5, 200}) {
    FakeMachine machine;
    int calls = 0;
    const auto failing =
        machine.candidate([&] { return calls++ < good ? std::optional(30'000.0) : std::nullopt; });
    EXPECT_FALSE(take_samples(failing, {}, machine.clock())) << good;
  }
}

// Stopping when the interval is narrow must not make it miss the median much more often.
TEST(TakeSamples, IntervalCoversTheMedianHoweverItWasStopped) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> law(std::log(1'000'000.0), 0.02);
  int missed = 0;
  for (int i = 0; i < 1000; ++i) {
    FakeMachine machine;
    SamplingRule rule;
    rule.budget_ns = 1e12;
    const auto sampled =
        take_samples(machine.candidate([&] { return law(random); }), rule, machine.clock());
    ASSERT_TRUE(sampled);
    ASSERT_EQ(sampled->stop, Stop::width);
    const auto interval = summarize(sampled->samples_ns).median_interval;
    ASSERT_TRUE(interval);
    missed += interval->low > 1'000'020 || interval->high < 1'000'020 ? 1 : 0;
  }
  EXPECT_LE(missed, 80);  // 5 % without stopping
}

}  // namespace
}  // namespace kbench
