#include <gtest/gtest.h>

#include "cluster/costs.hpp"

namespace kbench {
namespace {

TEST(Nodes, OneThatIsOffItsFellowsIsNamed) {
  const auto speeds =
      beside_each_other({{"a", {100, 101, 500}}, {"b", {100, 100, 99}}, {"c", {107, 108, 109}}});
  ASSERT_EQ(speeds.size(), 3u);
  EXPECT_EQ(speeds[0].median, 101);
  EXPECT_FALSE(speeds[0].is_off);
  EXPECT_FALSE(speeds[1].is_off);
  EXPECT_TRUE(speeds[2].is_off);
  EXPECT_NEAR(speeds[2].deviation, 108.0 / 101 - 1, 1e-6);
}

TEST(Nodes, OneAloneIsBesideNobody) { EXPECT_TRUE(beside_each_other({{"a", {1}}}).empty()); }

TEST(Nodes, RecordsWithoutTimesSayNothing) {
  NodeSpeeds speeds;
  Evaluation evaluation;
  speeds.note("a", evaluation);
  evaluation.kbench.emplace().timing.emplace().control_ns = {{1, 2}};
  speeds.note("a", evaluation);
  evaluation.kbench->timing->gpu.emplace().clock_mhz = {1980, 1980};
  speeds.note("a", evaluation);
  EXPECT_EQ(speeds.control_ns.at("a").size(), 4u);
  EXPECT_EQ(speeds.clock_mhz.at("a").size(), 2u);
}

}  // namespace
}  // namespace kbench
