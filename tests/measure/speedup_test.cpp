#include "measure/speedup.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kbench {
namespace {

SpeedupEvidence good() {
  SpeedupEvidence evidence;
  evidence.log_ratio = std::log(2);
  evidence.log_interval = {std::log(1.9), std::log(2.1)};
  evidence.pairs = 20;
  evidence.cores = 2;
  return evidence;
}

TEST(Speedup, IsARatioWithItsInterval) {
  EXPECT_EQ(why_no_ratio(good()), "");
  const Speedup speedup = speedup_of(good());
  EXPECT_NEAR(speedup.ratio, 2, 1e-9);
  EXPECT_NEAR(speedup.interval.low, 1.9, 1e-9);
  EXPECT_NEAR(speedup.interval.high, 2.1, 1e-9);
}

TEST(Speedup, IsNotToldFromTooWideAnInterval) {
  SpeedupEvidence evidence = good();
  evidence.log_interval = {std::log(1.5), std::log(2.6)};
  EXPECT_EQ(why_no_ratio(evidence), "±32 % is too wide");
  evidence.log_interval = {std::log(1.7), std::log(2.5)};
  EXPECT_EQ(why_no_ratio(evidence), "");
}

TEST(Speedup, IsNotToldFromTooFewTurns) {
  SpeedupEvidence evidence = good();
  evidence.log_interval.reset();
  evidence.pairs = 3;
  EXPECT_EQ(why_no_ratio(evidence), "3 turns are too few");
  evidence.pairs = 1;
  EXPECT_EQ(why_no_ratio(evidence), "1 turn is too few");
}

TEST(Speedup, IsNotToldWhereMoreWantsACoreThanThereAre) {
  SpeedupEvidence evidence = good();
  evidence.others_running = 1;
  EXPECT_EQ(why_no_ratio(evidence), "");
  evidence.others_running = 4.1;
  EXPECT_EQ(why_no_ratio(evidence), "load 5.1 on 2 cores");
  evidence.others_running = 1;
  evidence.threads = 2;
  EXPECT_EQ(why_no_ratio(evidence), "load 3.0 on 2 cores");
}

TEST(Speedup, IsNotToldBesideANeighbourOnTheCore) {
  SpeedupEvidence evidence = good();
  evidence.disturbed = 0.4;
  EXPECT_EQ(why_no_ratio(evidence), "");
  evidence.disturbed = 0.87;
  EXPECT_EQ(why_no_ratio(evidence), "another program had part of the core in 87 % of the turns");
}

TEST(Speedup, IsNotToldWhileAnotherKbenchTimes) {
  SpeedupEvidence evidence = good();
  evidence.is_alone = false;
  EXPECT_EQ(why_no_ratio(evidence), "another kbench was timing on this machine");
}

}  // namespace
}  // namespace kbench
